// A block with an Adler-32 checksum at its end, big-endian, as zlib has it.
//~ STDIN: "blockdat\x00\x00\x00\x00"
//~ FINDS: assertion store
//~ SOLUTION: "abcdefgZ\x0d\xf2\x03\x17"
//~ QUICK
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t adler32(const uint8_t *bytes, int len)
{
    uint32_t a = 1, b = 0;
    for (int i = 0; i < len; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void store(const uint8_t *block)
{
    assert(block[7] != 'Z'); //~ HERE
    printf("%.8s\n", (const char *)block);
}

int main(void)
{
    uint8_t block[12];
    if (fread(block, 1, sizeof block, stdin) != sizeof block)
        return 1;
    uint32_t sum = (uint32_t)block[8] << 24 | block[9] << 16 | block[10] << 8 | block[11];
    if (adler32(block, 8) != sum) {
        puts("damaged");
        return 1;
    }
    store(block);
    return 0;
}
