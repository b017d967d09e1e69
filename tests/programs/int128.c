// Arithmetic, comparisons, shifts, division and casts of 128-bit integers.
//~ STDIN: "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x90\x10\x20\x30\x40\x50\x60\x70\x80\x00\x00\x00\x00\x00\x00\x00\x00\x49"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

#define MAKE128(hi, lo) ((u128)(hi) << 64 | (u128)(lo))

static unsigned arithmetic(u128 a, u128 b)
{
    unsigned hits = 0;
    if (a + b == MAKE128(0x900f0e0d0c0b0a09, 0x8877665544332211) - 0x110000)
        hits |= 1;
    if (a - b > MAKE128(0x100, 0))
        hits |= 2;
    if ((uint64_t)(a * 3 >> 64) == 0xb02d2a2724211e1b)
        hits |= 4;
    if ((a & ~b) >> 124 == 9)
        hits |= 8;
    if ((a ^ b) == (a | b))
        hits |= 16;
    return hits;
}

static unsigned division(u128 a, uint8_t small)
{
    unsigned hits = 0;
    u128 divisor = (u128)small + 1;
    if (a / divisor % 2 == 1)
        hits |= 1;
    if (a % 1000 == 777)
        hits |= 2;
    if ((s128)a / 1000000 < 0)
        hits |= 4;
    if ((s128)a % 10 == -7)
        hits |= 8;
    return hits;
}

static unsigned shifts(u128 a, uint8_t amount)
{
    unsigned n = amount & 127, hits = 0;
    if (a << n >> 120 == 0x10)
        hits |= 1;
    if ((uint8_t)(a >> n) == 0x07)
        hits |= 2;
    if ((s128)a >> n < -1000)
        hits |= 4;
    return hits;
}

static unsigned compares(u128 a, u128 b)
{
    unsigned hits = 0;
    hits |= a < b ? 1 : 0;
    hits |= (s128)a < (s128)b ? 2 : 0;
    hits |= (s128)(int64_t)a >= (s128)(int64_t)b ? 4 : 0;
    if ((s128)a <= (s128)-5)
        hits |= 8;
    if ((u128)(int8_t)a == a)
        hits |= 16;
    return hits;
}

int main(void)
{
    unsigned char in[33] = {0};
    u128 a, b;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&a, in, sizeof a);
    memcpy(&b, in + 16, sizeof b);
    unsigned h1 = arithmetic(a, b), h2 = division(a, in[32]);
    unsigned h3 = shifts(a, in[32]), h4 = compares(a, b);
    printf("%u %u %u %u\n", h1, h2, h3, h4);
    if (h1 == 0 && h4 == 0)
        puts("neither");
    return 0;
}
