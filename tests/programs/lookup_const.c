// Constant tables of u8, u16, u32 and s64 indexed by input bytes, with
// conditions on what was looked up, and a lookup of a lookup.
//~ STDIN: "\x04\x09\x1e\x07\x55\x02"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static const uint8_t sbox[16] = {
    0xc, 0x5, 0x6, 0xb, 0x9, 0x0, 0xa, 0xd, 0x3, 0xe, 0xf, 0x8, 0x4, 0x7, 0x1, 0x2,
};

static const uint16_t primes[32] = {
    2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47,  53,
    59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131,
};

static const uint32_t powers[10] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

static const int64_t thresholds[4] = {-5000000000, -1, 5, 5000000000};

static const char *const names[4] = {"zero", "one", "two", "three"};

static unsigned char substitute(unsigned char v)
{
    return (unsigned char)(sbox[v >> 4] << 4 | sbox[v & 15]);
}

int main(void)
{
    unsigned char in[6] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (sbox[in[0] & 15] == 9)
        puts("sbox");
    if (sbox[sbox[in[0] & 15]] == 0xe)
        puts("sbox of sbox");
    if (primes[in[2] & 31] == 127)
        puts("prime");
    if (primes[in[1] & 31] + primes[in[2] & 31] == 156)
        puts("sum of primes");
    if (in[1] < 10 && powers[in[1]] > 12345678)
        puts("power");
    unsigned digits = 1;
    while (digits < 10 && (uint32_t)in[4] * in[4] >= powers[digits])
        digits++;
    if (digits == 4)
        puts("four digits");
    if (thresholds[in[5] & 3] < thresholds[in[3] & 3])
        puts("threshold");
    unsigned char s = in[4];
    for (int round = 0; round < 4; round++)
        s = substitute((unsigned char)(s ^ in[3]));
    if (s == 0xb2)
        puts("four rounds");
    if (names[in[5] & 3][0] == 't')
        puts(names[in[5] & 3]);
    return 0;
}
