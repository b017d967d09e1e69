// Pointer arithmetic: pointers as loop ends, compared, subtracted, moved by
// input-dependent amounts, to pointers, and into the middle of arrays.
//~ STDIN: "one,two;three\x02\x04\x01"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static const unsigned char *find(const unsigned char *p, const unsigned char *end, int c)
{
    while (p != end && *p != c)
        p++;
    return p;
}

static void advance(const unsigned char **p, const unsigned char *end, unsigned by)
{
    *p = by < (size_t)(end - *p) ? *p + by : end;
}

int main(void)
{
    unsigned char in[16] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    const unsigned char *end = in + 13;

    const unsigned char *comma = find(in, end, ','), *semicolon = find(in, end, ';');
    if (comma < semicolon && semicolon < end)
        puts("in order");
    if (semicolon - comma == 4)
        puts("three between");
    if (comma == end)
        puts("no comma");

    const unsigned char *p = in;
    for (unsigned i = 0; i < 3; i++)
        advance(&p, end, in[13 + i]);
    if (p == semicolon)
        puts("landed on the semicolon");
    if (p != end && *p == 'w')
        puts("w");

    // Backwards, with an end before the start.
    unsigned vowels = 0;
    for (const unsigned char *q = end; q-- > in;)
        if (*q == 'e' || *q == 'o')
            vowels += (unsigned)(q - in);
    if (vowels == 29)
        puts("vowels");

    // Pointers stored in an array and chosen by the input.
    uint32_t a = in[0] + 1u, b = in[1] + 2u, c = in[2] + 3u;
    uint32_t *all[4] = {&a, &b, &c, &a};
    *all[in[13] & 3] += 100;
    if (c == 'e' + 103)
        puts("changed through the pointer");
    if (**(all + (in[15] & 3)) == 'n' + 2)
        puts("second");
    uint16_t words[8] = {0};
    uint16_t *middle = words + 4;
    middle[(int)(in[14] & 7) - 4] = 9;
    ptrdiff_t at = 0;
    while (at < 8 && words[at] != 9)
        at++;
    if (at == 4)
        puts("the middle");
    return 0;
}
