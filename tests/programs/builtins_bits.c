// Bit builtins: bswap, popcount, clz, ctz, ffs, parity, bitreverse, and the
// rotate idioms that become funnel shifts.
//~ STDIN: "\x12\x34\x56\x78\x9a\xbc\xde\xf0\x0d"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t rotate8(uint8_t v, unsigned n)
{
    return (uint8_t)(v << (n & 7) | v >> (-n & 7));
}

static uint32_t rotate32(uint32_t v, unsigned n)
{
    return v << (n & 31) | v >> (-n & 31);
}

static uint64_t rotate64_right(uint64_t v, unsigned n)
{
    return v >> (n & 63) | v << (-n & 63);
}

#define CHECK(condition, text) \
    do { if (condition) puts(text); } while (0)

int main(void)
{
    unsigned char in[9] = {0};
    uint16_t a16;
    uint32_t a32, b32;
    uint64_t a64;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&a16, in, sizeof a16);
    memcpy(&a32, in, sizeof a32);
    memcpy(&b32, in + 4, sizeof b32);
    memcpy(&a64, in, sizeof a64);

    CHECK(__builtin_bswap16(a16) == 0x1234, "bswap16");
    CHECK(__builtin_bswap32(a32) == 0x12345679, "bswap32");
    CHECK(__builtin_bswap64(a64) == 0x123456789abcdef0, "bswap64");
    CHECK(__builtin_popcount(in[0] | 256u) == 3, "popcount of 8 bits");
    CHECK(__builtin_popcount(a32) == 13, "popcount");
    CHECK(__builtin_popcountll(a64) > 40, "popcountll");
    CHECK(a32 != 0 && __builtin_clz(a32) == 1, "clz");
    CHECK(a64 != 0 && __builtin_clzll(a64) == 0, "clzll");
    CHECK(b32 != 0 && __builtin_ctz(b32) == 1, "ctz");
    CHECK(a64 != 0 && __builtin_ctzll(a64) == 20, "ctzll");
    CHECK(__builtin_ffs((int)b32) == 2, "ffs");
    CHECK(__builtin_parity(a32), "parity");
    CHECK(__builtin_parityll(a64), "parityll");
    CHECK(__builtin_bitreverse8(in[3]) == 0x1e, "bitreverse8");
    CHECK(__builtin_bitreverse32(b32) == 0x593d7b0f, "bitreverse32");
    CHECK(rotate8(in[1], 3) == 0xa1, "rotate8");
    CHECK(rotate8(in[1], in[8]) == 0x86, "rotate8 by an input");
    CHECK(rotate32(a32, 7) == 0x2b1a093c, "rotate32");
    CHECK(rotate32(b32, in[8]) == 0x57935e1b, "rotate32 by an input");
    CHECK(rotate64_right(a64, in[8]) >> 60 == 10, "rotate64 by an input");
    CHECK(__builtin_rotateleft16(a16, in[8]) == 0x4682, "rotateleft16");
    CHECK(__builtin_clrsb((int)a32) == 0, "clrsb");
    return 0;
}
