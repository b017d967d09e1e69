// Numbers in text: signs, white space, prefixes, every kind of base, where the
// number ended, and values that do not fit.
//~ STDIN: " -42,0x1f,017,zz,99999999999999999999,2147483650,+7,g8,1010"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char in[64];

// The next field of the input, as a string.
static char *field(void)
{
    static char *at = in;
    char *start = at;
    while (*at && *at != ',')
        at++;
    if (*at)
        *at++ = 0;
    return start;
}

int main(void)
{
    if (read(0, in, sizeof in - 1) < 0)
        return 1;
    char *end;

    int small = atoi(field());
    if (small == -42)
        puts("minus 42");
    if (small > 1000)
        puts("large");

    char *text = field();
    long any = strtol(text, &end, 0);
    if (any == 31 && *end == 0)
        puts("hexadecimal");
    if (end == text)
        puts("no number");

    text = field();
    unsigned long octal = strtoul(text, &end, 0);
    if (octal == 15)
        puts("octal");
    if (end - text == 3)
        puts("three characters");

    if (strtoll(field(), &end, 36) == 1295)
        puts("base 36");

    errno = 0;
    unsigned long long huge = strtoull(field(), NULL, 10);
    if (errno == ERANGE)
        puts("does not fit");
    if (huge == 123)
        puts("123");

    text = field();
    if (atoi(text) == INT32_MIN + 2)
        puts("cut to an int");
    if (atol(text) > INT32_MAX)
        puts("beyond an int");

    if (strtoimax(field(), &end, 10) == 7)
        puts("seven");
    text = field();
    if (strtol(text, &end, 16) == 0 && end == text)
        puts("not hexadecimal");
    if (strtoumax(field(), NULL, 2) == 10)
        puts("binary");
    errno = 0;
    if (strtol("1", NULL, 1) == 0 && errno == EINVAL)
        puts("no such base");
    printf("%d %ld %lu %llu\n", small, any, octal, huge);
    return 0;
}
