// The same checksum by a table of 256 words, over a word that must not be zero.
//~ STDIN: "12345678\x00\x00\x00\x00"
//~ FINDS: division-by-zero average
//~ SOLUTION: "abcd\x00\x00\x00\x00\xf9\x8e\x98\x87"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];

static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        table[i] = crc;
    }
}

static uint32_t crc32(const uint8_t *bytes, int len)
{
    uint32_t crc = 0xffffffff;
    for (int i = 0; i < len; i++)
        crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

static uint32_t average(uint32_t total, uint32_t count)
{
    return total / count; //~ HERE
}

int main(void)
{
    struct {
        uint32_t total, count, sum;
    } record;
    fill();
    if (fread(&record, sizeof record, 1, stdin) != 1)
        return 1;
    if (crc32((const uint8_t *)&record, 8) != record.sum) {
        puts("damaged");
        return 1;
    }
    printf("%u\n", average(record.total, record.count));
    return 0;
}
