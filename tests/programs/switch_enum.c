// Switches on an enum, on a plain char, with fallthrough, with the default in
// the middle, nested, and with a declaration and loop inside.
//~ STDIN: "g+3x-q\x01\xff"
#include <stdio.h>
#include <unistd.h>

enum color { RED, GREEN = 5, BLUE, NONE = -1 };

static enum color parse(char c)
{
    switch (c) {
    case 'r': return RED;
    case 'g': return GREEN;
    case 'b': return BLUE;
    default: return NONE;
    }
}

static int describe(enum color color, char sign)
{
    int n = 0;
    switch (color) {
    case RED: n = 1; break;
    case GREEN:
        switch (sign) {
        case '+': n = 10; break;
        case '-': n = -10; break;
        case '\xff': n = 7; break;
        }
        break;
    case BLUE: n = sign; break;
    case NONE: n = -1; break;
    }
    return n;
}

static int fallthrough(unsigned char c)
{
    int n = 0;
    switch (c) {
    case '4': n++; __attribute__((fallthrough));
    case '3': n++; __attribute__((fallthrough));
    default: n += 10; __attribute__((fallthrough));
    case '2': n++; __attribute__((fallthrough));
    case '1': n++; break;
    case '0':
        for (int i = 0; i < 3; i++)
            n += i;
    }
    return n;
}

int main(void)
{
    char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    int a = describe(parse(in[0]), in[1]);
    int b = fallthrough((unsigned char)in[2]);
    int c = describe(parse(in[3]), in[4]) + fallthrough((unsigned char)in[5]);
    int d = describe(parse(in[6]), in[7]);
    printf("%d %d %d %d\n", a, b, c, d);
    switch (a + b + c + d) {
    case 31: puts("as given"); break;
    case 0: puts("nothing"); break;
    case -4: puts("negative"); break;
    }
    return 0;
}
