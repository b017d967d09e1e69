// _BitInt of odd widths: wrapping arithmetic, signed comparisons, shifts,
// division, conversion between widths, and storage in memory.
//~ STDIN: "\x45\x13\x37\xc0\xff\xee\x01\x80\x55\xaa\x0f\xf0\x21"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned _BitInt(7) u7;
typedef signed _BitInt(7) s7;
typedef unsigned _BitInt(24) u24;
typedef signed _BitInt(24) s24;
typedef unsigned _BitInt(33) u33;
typedef signed _BitInt(33) s33;
typedef unsigned _BitInt(100) u100;
typedef signed _BitInt(100) s100;

static uint64_t load(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static __attribute__((noinline)) u100 mix(u100 wide, u24 narrow)
{
    return (wide << 12) ^ (u100)(narrow * (u24)3);
}

int main(void)
{
    unsigned char in[16] = {0};
    if (read(0, in, 13) < 0)
        return 1;

    u7 a7 = (u7)in[0], b7 = (u7)in[1];
    if (a7 + b7 == (u7)3)
        puts("7: the sum wraps");
    if ((s7)a7 < (s7)b7)
        puts("7: less");
    if ((s7)a7 / (s7)3 == (s7)-19)
        puts("7: quotient");

    u24 a24 = (u24)load(in), b24 = (u24)load(in + 3);
    if (a24 * b24 == (u24)0x123457)
        puts("24: product");
    if ((s24)b24 < 0 && b24 >> 4 == (u24)0xeffc)
        puts("24: negative");
    if (a24 % (u24)10 == (u24)9)
        puts("24: remainder");

    u33 a33 = (u33)load(in), b33 = (u33)load(in + 5);
    if ((s33)b33 < (s33)a33)
        puts("33: less");
    if (a33 - b33 > (u33)0x100000000)
        puts("33: large difference");
    if ((s33)(a33 << (b33 & (u33)31)) < 0)
        puts("33: sign after the shift");

    u100 stored[2];
    stored[0] = (u100)load(in) * (u100)load(in + 5);
    stored[1] = mix(stored[0], b24);
    if ((uint8_t)(stored[1] >> 92) == 0x55)
        puts("100: high byte");
    if ((s100)stored[0] < (s100)stored[1])
        puts("100: less");
    if (stored[1] / (u100)(in[12] | 1) % (u100)4 == (u100)2)
        puts("100: quotient");
    printf("%u %u\n", (unsigned)(stored[1] >> 68), (unsigned)stored[1]);
    return 0;
}
