// CRC-32 with a table computed at run time, and CRC-8 with a nibble table.
//~ STDIN: "123456789\x26\x39\xf4\xcb"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t table[256];

static void fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int bit = 0; bit < 8; bit++)
            v = v & 1 ? v >> 1 ^ 0xedb88320 : v >> 1;
        table[i] = v;
    }
}

static uint32_t crc32(const unsigned char *p, unsigned n)
{
    uint32_t crc = 0xffffffff;
    while (n--)
        crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
    return ~crc;
}

static uint8_t crc8(const unsigned char *p, unsigned n)
{
    static const uint8_t nibbles[16] = {
        0x00, 0x07, 0x0e, 0x09, 0x1c, 0x1b, 0x12, 0x15,
        0x38, 0x3f, 0x36, 0x31, 0x24, 0x23, 0x2a, 0x2d,
    };
    uint8_t crc = 0;
    while (n--) {
        crc ^= *p++;
        crc = (uint8_t)(crc << 4) ^ nibbles[crc >> 4];
        crc = (uint8_t)(crc << 4) ^ nibbles[crc >> 4];
    }
    return crc;
}

int main(void)
{
    unsigned char in[13] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    fill_table();

    uint32_t stored = in[9] | in[10] << 8 | in[11] << 16 | (uint32_t)in[12] << 24;
    uint32_t crc = crc32(in, 9);
    if (crc == stored)
        puts("crc32 agrees");
    if (crc32(in, 1) == 0x83dcefb7)
        puts("one byte");
    if (crc8(in, 9) == 0xf4)
        puts("crc8 agrees");
    if (crc8(in, 2) == 0x42)
        puts("crc8 of two");
    printf("%08x\n", (unsigned)crc);
    return 0;
}
