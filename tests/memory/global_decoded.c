// Quoted-printable text is split into words by a table for ASCII; a decoded character above it is a negative index.
//~ STDIN: "caf=20 au=3F lait"
//~ FINDS: global-out-of-bounds n_words
//~ SOLUTION: "caf=E9 au=3F lait"
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

static unsigned char is_letter[128];

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int decode(const char *text, char *out)
{
    while (*text) {
        if (*text & 0x80)
            return -1;
        if (*text != '=') {
            *out++ = *text++;
            continue;
        }
        if (hex(text[1]) < 0 || hex(text[2]) < 0)
            return -1;
        *out++ = (char)(hex(text[1]) * 16 + hex(text[2]));
        text += 3;
    }
    *out = '\0';
    return 0;
}

static int n_words(const char *text)
{
    int n = 0, was_letter = 0;
    for (; *text; text++) {
        char c = *text;
#ifdef FIXED
        int is_now = (unsigned char)c < sizeof is_letter ? is_letter[(unsigned char)c] : 1;
#else
        int is_now = is_letter[(int)c]; //~ HERE
#endif
        if (is_now && !was_letter)
            n++;
        was_letter = is_now;
    }
    return n;
}

int main(void)
{
    char text[32 * SCALE], decoded[32 * SCALE];
    for (int c = 'a'; c <= 'z'; c++)
        is_letter[c] = is_letter[c - 'a' + 'A'] = 1;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (decode(text, decoded) != 0)
        return 1;
    printf("%d words\n", n_words(decoded));
    return 0;
}
