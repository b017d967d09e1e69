// Case ranges (a GNU extension): on characters, on overlapping sizes of
// range, and ranges that include negative numbers.
//~ STDIN: "aZ5_ \x80\xf0\x7f\x00\x80"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char class_of(unsigned char c)
{
    switch (c) {
    case 'a' ... 'z': return 'l';
    case 'A' ... 'Z': return 'u';
    case '0' ... '9': return 'd';
    case ' ':
    case '\t' ... '\r': return 's';
    case 0 ... 8:
    case 14 ... 31:
    case 127: return 'c';
    case 0x80 ... 0xff: return 'h';
    default: return 'p';
    }
}

static const char *magnitude(int16_t v)
{
    switch (v) {
    case INT16_MIN ... -1000: return "very negative";
    case -999 ... -100: return "quite negative";
    case -99 ... -1: return "slightly negative";
    case 0: return "zero";
    case 1 ... 99: return "slightly positive";
    case 100 ... 32766: return "positive";
    }
    return "largest";
}

int main(void)
{
    unsigned char in[10] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    unsigned word = 0;
    for (int i = 0; i < 10; i++) {
        char c = class_of(in[i]);
        putchar(c);
        word += c == 'l' || c == 'u';
    }
    putchar('\n');
    int16_t v;
    memcpy(&v, in + 5, sizeof v);
    puts(magnitude(v));
    memcpy(&v, in + 8, sizeof v);
    puts(magnitude(v));
    if (word == 6)
        puts("mostly letters");
    return 0;
}
