// A palette of colours: the size in bytes is checked, after the product was cut to 32 bits.
//~ STDIN: "PAL\0\0\0\x03rgb.RGB.abc."
//~ FINDS: allocation-overflow read_palette
//~ SOLUTION: "PAL\x40\0\0\x01rgb.RGB.abc."
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 256 };

struct colour {
    uint8_t red, green, blue, alpha;
};

static struct colour *read_palette(uint32_t n_colours)
{
#ifdef FIXED
    if (n_colours == 0 || n_colours > MAX_BYTES / sizeof(struct colour))
        return NULL;
    struct colour *palette = malloc(n_colours * sizeof *palette);
#else
    uint32_t n_bytes = n_colours * (uint32_t)sizeof(struct colour);
    if (n_bytes == 0 || n_bytes > MAX_BYTES)
        return NULL;
    struct colour *palette = malloc(n_bytes); //~ HERE
#endif
    if (!palette)
        return NULL;
    for (uint32_t i = 0; i < n_colours; i++) {
        struct colour colour;
        if (fread(&colour, 1, sizeof colour, stdin) != sizeof colour) {
            free(palette);
            return NULL;
        }
        palette[i] = colour;
    }
    return palette;
}

int main(void)
{
    uint8_t header[7];
    if (fread(header, 1, sizeof header, stdin) != sizeof header || memcmp(header, "PAL", 3) != 0)
        return 1;
    uint32_t n_colours = (uint32_t)header[3] << 24 | (uint32_t)header[4] << 16 | (uint32_t)header[5] << 8 | header[6];
    struct colour *palette = read_palette(n_colours);
    if (!palette)
        return 1;
    printf("%u colours, the first is %d\n", (unsigned)n_colours, palette[0].red);
    free(palette);
    return 0;
}
