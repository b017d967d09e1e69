// tolower and toupper as functions: a case-insensitive comparison, title
// case, and rot13. (The flag keeps glibc from inlining them when optimising.)
//~ STDIN: "HeLLo wORLD"
//~ FLAGS: -D__NO_INLINE__
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int same_ignoring_case(const char *a, const char *b, int n)
{
    for (int i = 0; i < n; i++)
        if ((tolower)((unsigned char)a[i]) != (tolower)((unsigned char)b[i]))
            return 0;
    return 1;
}

static int rot13(int c)
{
    if ((isalpha)(c)) {
        int base = (isupper)(c) ? 'A' : 'a';
        return (c - base + 13) % 26 + base;
    }
    return c;
}

int main(void)
{
    char in[12] = {0};
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    if (same_ignoring_case(in, "hello", 5))
        puts("hello");
    if (same_ignoring_case(in + 6, "there", 5))
        puts("there");

    int start = 1;
    for (int i = 0; i < 11; i++) {
        unsigned char c = (unsigned char)in[i];
        in[i] = (char)(start ? toupper(c) : tolower(c));
        start = c == ' ';
    }
    if (memcmp(in, "Hello", 5) == 0)
        puts("title case");
    if (in[6] == 'W' && in[10] != 'D')
        puts("second word");

    unsigned sum = 0;
    for (int i = 0; i < 11; i++)
        sum += (unsigned)rot13((unsigned char)in[i]);
    if (sum == 1053)
        puts("rotated");
    printf("%u\n", sum);
    return 0;
}
