// Tail recursion three thousand deep, which optimisation turns into loops;
// accumulators, an accumulator behind the call, and mutual tail calls.
//~ STDIN: "\x48\x07\x05\x03"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t stir(uint32_t steps, uint32_t state)
{
    if (steps == 0)
        return state;
    return stir(steps - 1, (state << 7 | state >> 25) ^ steps);
}

// Becomes a loop only with an accumulator introduced by the compiler.
static uint32_t sum_to(uint32_t n)
{
    if (n == 0)
        return 0;
    return n + sum_to(n - 1);
}

static uint32_t ping(uint32_t n, uint32_t acc);
static uint32_t pong(uint32_t n, uint32_t acc)
{
    return n == 0 ? acc : ping(n - 1, acc ^ n);
}
static uint32_t ping(uint32_t n, uint32_t acc)
{
    return n == 0 ? acc + 1 : pong(n - 1, acc + 2);
}

static uint32_t find(const unsigned char *p, uint32_t at, uint32_t end, uint8_t wanted)
{
    if (at == end || p[at] == wanted)
        return at;
    return find(p, at + 1, end, wanted);
}

int main(void)
{
    unsigned char in[4] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    // The depth is fixed here, the data are not.
    uint32_t state = stir(3000, in[0] | (uint32_t)in[1] << 8);
    if ((state & 0xff) == 0x5a)
        puts("low byte of the state");

    // Here the depth depends on the input too.
    uint32_t depth = in[0];
    uint32_t sum = sum_to(depth);
    if (sum == depth * (depth + 1) / 2)
        puts("gauss");
    uint32_t both = ping(in[2], in[3]);
    if (both % 16 == 3)
        puts("both");
    if (find(in, 0, 4, in[2]) == 2)
        puts("found at 2");
    printf("%u %u\n", depth, both);
    return 0;
}
