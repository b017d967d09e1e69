// A mail folder goes from UTF-8 to UTF-7; the buffer was enlarged to 7/3 of the name, which is still too little.
//~ ARGS: @@
//~ FILE: "folder=mail/de"
//~ FINDS: heap-out-of-bounds append
//~ SOLUTION: "folder=\x01&\x01&\x01&\x01"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

static void append(char **end, char c)
{
    **end = c; //~ HERE
    ++*end;
}

static int is_plain(unsigned code)
{
    return code >= 0x20 && code <= 0x7e;
}

/* A run of codes that are not plain: 16 bits each, in digits of 6. */
static void append_run(char **end, const uint16_t *codes, size_t n_codes)
{
    size_t n_bits = n_codes * 16;
    append(end, '&');
    for (size_t bit = 0; bit < n_bits; bit += 6) {
        unsigned digit = 0;
        for (size_t i = bit; i < bit + 6; i++)
            digit = digit << 1 | (i < n_bits ? (codes[i / 16] >> (15 - i % 16)) & 1 : 0);
        append(end, DIGITS[digit]);
    }
    append(end, '-');
}

static char *encode(const uint16_t *codes, size_t n_codes, size_t n_bytes)
{
#ifdef FIXED
    char *text = malloc(n_bytes / 2 * 7 + 6);
#else
    char *text = malloc(n_bytes * 7 / 3 + 1);
#endif
    char *end = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < n_codes;) {
        size_t n_run = 0;
        while (i + n_run < n_codes && !is_plain(codes[i + n_run]))
            n_run++;
        if (n_run) {
            append_run(&end, codes + i, n_run);
            i += n_run;
            continue;
        }
        append(&end, (char)codes[i]);
        if (codes[i++] == '&')
            append(&end, '-');
    }
    append(&end, '\0');
    return text;
}

static int decode(const char *bytes, uint16_t *codes)
{
    int n_codes = 0;
    while (*bytes) {
        unsigned char c = (unsigned char)*bytes++;
        if (c < 0x80) {
            codes[n_codes++] = c;
        } else if (c >= 0xc2 && c < 0xe0 && (*bytes & 0xc0) == 0x80) {
            codes[n_codes++] = (uint16_t)((c & 0x1f) << 6 | (*bytes++ & 0x3f));
        } else {
            return -1;
        }
    }
    return n_codes;
}

int main(int argc, char **argv)
{
    char line[16];
    uint16_t codes[16];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    line[fread(line, 1, 14, file)] = '\0';
    fclose(file);
    if (strncmp(line, "folder=", 7) != 0)
        return 1;
    int n_codes = decode(line + 7, codes);
    char *name = n_codes < 0 ? NULL : encode(codes, (size_t)n_codes, strlen(line + 7));
    if (!name)
        return 1;
    puts(name);
    free(name);
    return 0;
}
