// Lines are cut to a width that the first line names; a carriage return is kept without asking whether it fits.
//~ STDIN: "W6:hello you\nthere\n"
//~ FINDS: stack-out-of-bounds collect
//~ SOLUTION: "W6:hello \rou\nthere\n"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

__attribute__((noinline)) static void flush(const char *line, size_t n)
{
    fwrite(line, 1, n, stdout);
    putchar('\n');
}

static void collect(const char *text, size_t width)
{
    char line[width];
    size_t n = 0;
    for (; *text; text++) {
        if (*text == '\n') {
            flush(line, n);
            n = 0;
            continue;
        }
#ifdef FIXED
        if (n == width)
            continue;
#else
        if (n == width && *text != '\r')
            continue;
#endif
        line[n++] = *text; //~ HERE
    }
    if (n)
        flush(line, n);
}

int main(void)
{
    char text[32 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (text[0] != 'W' || text[1] < '1' || text[1] > '9' || text[2] != ':')
        return 1;
    collect(text + 3, (size_t)(text[1] - '0'));
    return 0;
}
