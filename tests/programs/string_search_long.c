// Searches in a long text, most of them far from its end: their cost depends
// on how far they go.
//~ STDIN: "first line\nsecond line\n\nlast"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 3000 };

int main(void)
{
    char *text = malloc(SIZE);
    if (!text)
        return 1;
    memset(text, '.', SIZE);
    if (read(0, text, 27) < 0)
        return 1;
    text[SIZE - 1] = 0;

    unsigned lines = 0;
    const char *line = text;
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        if (end == line)
            puts("empty");
        lines++;
    }
    printf("%u\n", lines);
    if (strlen(text) == SIZE - 1)
        puts("whole");
    const char *dot = memchr(text, '.', SIZE);
    if (dot && dot - text == 27)
        puts("dot");
    if (strspn(line, "abcdefghijklmnopqrstuvwxyz") == 4)
        puts("a word");
    free(text);
    return 0;
}
