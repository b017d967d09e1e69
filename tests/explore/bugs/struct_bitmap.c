// The header of a bitmap: sizes that must agree with each other and with the length of the file.
//~ STDIN: "BM\x14\x00\x10\x00\x02\x00\x02\x00\x01\x08\x00\x00\x00\x00abcd"
//~ FINDS: division-by-zero row_count
//~ SOLUTION: "BM\x14\x00\x10\x00\x02\x00\x02\x00\x01\x01\x00\x00\x00\x00abcd"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bitmap {
    char magic[2];
    uint16_t n_bytes, pixels, width, height;
    uint8_t planes, bits;
    uint32_t reserved;
};

static unsigned row_count(unsigned n_bytes, unsigned width, unsigned bits)
{
    return n_bytes / (width * bits / 8); //~ HERE
}

int main(void)
{
    uint8_t file[40];
    struct bitmap bitmap;
    size_t len = fread(file, 1, sizeof file, stdin);
    if (len < sizeof bitmap)
        return 1;
    memcpy(&bitmap, file, sizeof bitmap);
    if (memcmp(bitmap.magic, "BM", 2) != 0 || bitmap.n_bytes != len || bitmap.pixels != sizeof bitmap)
        return 1;
    if (bitmap.planes != 1 || bitmap.reserved != 0 || bitmap.width < 2 || bitmap.width > 64)
        return 1;
    if (bitmap.bits != 1 && bitmap.bits != 8)
        return 1;
    printf("%u rows\n", row_count(bitmap.n_bytes - bitmap.pixels, bitmap.width, bitmap.bits));
    return 0;
}
