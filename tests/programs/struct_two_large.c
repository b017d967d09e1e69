// Several large structs passed by value in one call, some through a function
// pointer and some more than once.
//~ STDIN: "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct wide { unsigned char bytes[24]; unsigned sum; };

static __attribute__((noinline)) unsigned both(struct wide a, int between, struct wide b)
{
    unsigned result = (unsigned)between;
    for (unsigned i = 0; i < sizeof a.bytes; i++) {
        if (a.bytes[i] > b.bytes[i])
            result += i;
        a.sum += a.bytes[i] ^ b.bytes[i];
    }
    return result * 31 + a.sum + b.sum;
}

static __attribute__((noinline)) unsigned three(struct wide a, struct wide b, struct wide c)
{
    return both(b, c.bytes[0], a) ^ both(c, a.bytes[1], c);
}

int main(void)
{
    unsigned char in[48] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    struct wide x = {.sum = in[0]}, y = {.sum = 7};
    memcpy(x.bytes, in, 24);
    memcpy(y.bytes, in + 24, 24);
    unsigned (*call)(struct wide, int, struct wide) = both;
    unsigned direct = both(x, in[5], y), indirect = call(y, 3, x);
    if (direct % 7 == 3)
        puts("seven");
    if (indirect > direct)
        puts("more");
    if ((three(x, y, x) & 0xff) == 0x42)
        puts("three");
    printf("%u %u\n", direct, indirect);
    return 0;
}
