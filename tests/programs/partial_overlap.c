// Stores and loads that overlap in part: write 32 bits and read 16 from the
// middle, write bytes and read a word, mix input bytes with constants.
//~ STDIN: "\x11\x22\x33\x44\x55\x66\x77\x88"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char memory[32];

// Kept out of line so that memory, not registers, carries the values.
#define DEFINE_ACCESS(bits)                                                          \
    static __attribute__((noinline)) void put##bits(unsigned at, uint##bits##_t v)   \
    {                                                                                \
        memcpy(memory + at, &v, sizeof v);                                           \
    }                                                                                \
    static __attribute__((noinline)) uint##bits##_t get##bits(unsigned at)           \
    {                                                                                \
        uint##bits##_t v;                                                            \
        memcpy(&v, memory + at, sizeof v);                                           \
        return v;                                                                    \
    }

DEFINE_ACCESS(8)
DEFINE_ACCESS(16)
DEFINE_ACCESS(32)
DEFINE_ACCESS(64)

int main(void)
{
    uint32_t in[2] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    put32(0, in[0] + 0x01010101);
    if (get16(1) == 0x3423)
        puts("the middle of a word");
    if (get8(3) == 0x46)
        puts("the last byte");

    // A constant over the middle of an input-dependent value.
    put64(8, (uint64_t)in[1] * 3);
    put16(10, 0xabcd);
    if (get32(8) == 0xabcd32ff)
        puts("constant inside");
    if (get32(10) >> 16 == (get64(8) >> 32 & 0xffff))
        puts("always");

    // An input byte inside a constant.
    put64(16, 0x0807060504030201);
    put8(19, (uint8_t)in[0]);
    if (get32(17) == 0x05110302)
        puts("input inside");
    if (get16(20) == 0x0605)
        puts("untouched");

    // Eight single bytes, read as one word, shifted by one.
    for (unsigned i = 0; i < 8; i++)
        put8(24 + i, (uint8_t)(in[i & 1] >> (i & 3) * 8));
    if (get64(24) >> 40 == 0x882266)
        puts("gathered");
    if (get32(22) == 0x66110807)
        puts("across both");
    put32(25, 0);
    if (get64(24) == 0x8822660000000011)
        puts("cleared");
    return 0;
}
