// The macros of <ctype.h>, which look characters up in a table inside libc.
//~ STDIN: "Ab9 _\t\x7f\x80z~"
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

static char kind(int c)
{
    if (isupper(c))
        return 'U';
    if (islower(c))
        return 'L';
    if (isdigit(c))
        return 'D';
    if (isspace(c))
        return 'S';
    if (ispunct(c))
        return 'P';
    if (iscntrl(c))
        return 'C';
    return '?';
}

int main(void)
{
    unsigned char in[10] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    unsigned words = 0, inside = 0, hexadecimal = 0, visible = 0;
    for (int i = 0; i < 10; i++) {
        putchar(kind(in[i]));
        if (isalnum(in[i]) || in[i] == '_') {
            if (!inside)
                words++;
            inside = 1;
        } else {
            inside = 0;
        }
        hexadecimal += isxdigit(in[i]) != 0;
        visible += isprint(in[i]) && !isgraph(in[i]) ? 10 : isgraph(in[i]) ? 1 : 0;
    }
    putchar('\n');
    if (words == 3)
        puts("three words");
    if (hexadecimal > 4)
        puts("hexadecimal");
    if (visible == 26)
        puts("two blanks");
    if (isblank(in[3]) && isalpha(in[0]) && !isalpha(in[7]))
        puts("mixed");
    return 0;
}
