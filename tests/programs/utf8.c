// A UTF-8 decoder: sequences of one to four bytes, overlong forms, surrogates
// and truncation; branches on the decoded code points.
//~ STDIN: "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\xb8z\xc0\x80\xed\xa0\x80"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { BAD = 0xffffffff };

static uint32_t decode(const unsigned char **at, const unsigned char *end)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = *(*at)++;
    int length;
    uint32_t c;
    if (first < 0x80)
        return first;
    if ((first & 0xe0) == 0xc0)
        length = 2, c = first & 0x1f;
    else if ((first & 0xf0) == 0xe0)
        length = 3, c = first & 0x0f;
    else if ((first & 0xf8) == 0xf0)
        length = 4, c = first & 0x07;
    else
        return BAD;
    for (int i = 1; i < length; i++) {
        if (*at == end || (**at & 0xc0) != 0x80)
            return BAD;
        c = c << 6 | (*(*at)++ & 0x3f);
    }
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return BAD;
    return c;
}

int main(void)
{
    unsigned char in[24] = {0};
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;
    unsigned good = 0, bad = 0;
    uint32_t sum = 0;
    for (const unsigned char *p = in, *end = in + n; p < end;) {
        uint32_t c = decode(&p, end);
        if (c == BAD) {
            bad++;
            continue;
        }
        good++;
        sum += c;
        switch (c) {
        case 0xe9: puts("e acute"); break;
        case 0x20ac: puts("euro"); break;
        case 0x1f378: puts("cocktail"); break;
        case 0xfeff: puts("byte order mark"); break;
        }
        if (c >= 0x4e00 && c <= 0x9fff)
            puts("ideograph");
    }
    printf("%u %u %u\n", good, bad, (unsigned)sum);
    return bad > good;
}
