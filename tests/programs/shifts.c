// Shifts by input-dependent amounts at every width, logical and arithmetic,
// and a shift whose amount and value are both wider than the result.
//~ STDIN: "\x96\x81\xf0\x0f\x12\x34\x56\x87\x05\x0b\x11\x2a"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned shift8(uint8_t v, unsigned n)
{
    unsigned hits = 0;
    if ((uint8_t)(1u * v << n) == 0xc0)
        hits |= 1;
    if (v >> n == 4)
        hits |= 2;
    if ((int8_t)v >> n == -4)
        hits |= 4;
    return hits;
}

static unsigned shift16(uint16_t v, unsigned n)
{
    unsigned hits = 0;
    if ((uint16_t)(1u * v << n) == 0xb000)
        hits |= 1;
    if (v >> n == 0x10)
        hits |= 2;
    if ((int16_t)v >> n < -12)
        hits |= 4;
    return hits;
}

static unsigned shift32(uint32_t v, unsigned n)
{
    unsigned hits = 0;
    if (v << n == 0x032c0000)
        hits |= 1;
    if (v >> n == 0x7f8)
        hits |= 2;
    if ((int32_t)v >> n > 0)
        hits |= 4;
    return hits;
}

static unsigned shift64(uint64_t v, unsigned n)
{
    unsigned hits = 0;
    if (v << n >> 60 == 0xb)
        hits |= 1;
    if (v >> n == 0x21d58d)
        hits |= 2;
    if ((int64_t)v >> n < 0)
        hits |= 4;
    if ((uint16_t)(v >> n) == 0x1234)
        hits |= 8;
    return hits;
}

int main(void)
{
    unsigned char in[12] = {0};
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&v16, in, sizeof v16);
    memcpy(&v32, in, sizeof v32);
    memcpy(&v64, in, sizeof v64);
    unsigned hits8 = shift8(in[0], in[8] & 7);
    unsigned hits16 = shift16(v16, in[9] & 15);
    unsigned hits32 = shift32(v32, in[10] % 32);
    unsigned hits64 = shift64(v64, in[11] < 64 ? in[11] : 63);
    printf("%u %u %u %u\n", hits8, hits16, hits32, hits64);
    if (hits8 + hits16 + hits32 + hits64 == 0)
        puts("no hits");
    return 0;
}
