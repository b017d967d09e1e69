// An image's size in bytes is checked after it has wrapped around at 32 bits.
//~ STDIN: "IMG \x10\x00\x00\x00\x10\x00\x00\x00"
//~ FINDS: assertion decode
//~ SOLUTION: "IMG \x01\x00\x01\x00\x00\x40\x00\x00"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct header {
    char magic[4];
    uint32_t width, height;
};

static int decode(const struct header *header)
{
    uint32_t n_bytes = header->width * header->height * 4;
    if (header->width == 0 || header->height == 0 || n_bytes > 1 << 20) {
        puts("bad size");
        return 1;
    }
    uint64_t last = ((uint64_t)header->width * header->height - 1) * 4;
    assert(last < n_bytes); //~ HERE
    printf("%u bytes\n", n_bytes);
    return 0;
}

int main(void)
{
    struct header header;
    if (fread(&header, sizeof header, 1, stdin) != 1 || memcmp(header.magic, "IMG ", 4) != 0)
        return 1;
    return decode(&header);
}
