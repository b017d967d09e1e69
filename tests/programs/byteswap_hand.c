// Byte order by hand: words assembled from bytes with shifts, swapped with
// masks, written back a byte at a time (optimisation makes bswaps of these).
//~ STDIN: "\x00\x00\x00\x2a\x2a\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t big32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t little32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t big64(const unsigned char *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static uint32_t swap32(uint32_t v)
{
    v = (v & 0x00ff00ff) << 8 | (v >> 8 & 0x00ff00ff);
    return v << 16 | v >> 16;
}

static uint16_t swap16(uint16_t v)
{
    return (uint16_t)(v << 8 | v >> 8);
}

static void put_big64(unsigned char *p, uint64_t v)
{
    for (int i = 7; i >= 0; i--, v >>= 8)
        p[i] = (unsigned char)v;
}

int main(void)
{
    unsigned char in[16] = {0}, out[8];
    if (read(0, in, sizeof in) < 0)
        return 1;
    uint32_t a = big32(in), b = little32(in + 4);
    uint64_t c = big64(in + 8);
    if (a == b)
        puts("same number");
    if (swap32(a) + 1 == 0x2a000001)
        puts("swapped");
    if (c == 0x0102030405060708)
        puts("big-endian");
    if (swap16((uint16_t)c) == 0x0807)
        puts("low half");
    put_big64(out, c * 3 + a);
    if (out[7] == 0x42)
        puts("written");
    if (out[0] > in[8])
        puts("greater");
    if (little32(out + 2) == swap32(big32(out + 2)))
        puts("always");
    return 0;
}
