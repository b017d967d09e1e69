// Some characters of a line are deleted by copying the rest over them, also where the rest is longer than they are.
//~ STDIN: "k2,6:abcdefghi"
//~ FINDS: overlap delete
//~ SOLUTION: "d2,3:abcdefghi"
//~ QUICK
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void delete(char *line, size_t at, size_t count)
{
    size_t n_rest = strlen(line) - at - count + 1;
#ifdef FIXED
    memmove(line + at, line + at + count, n_rest);
#else
    memcpy(line + at, line + at + count, n_rest); //~ HERE
#endif
}

static void keep(char *line, size_t at, size_t count)
{
    printf("kept %.*s\n", (int)count, line + at);
}

int main(void)
{
    char text[32] = {0};
    fread(text, 1, sizeof text - 1, stdin);
    if (text[1] < '0' || text[1] > '9' || text[2] != ',' || text[3] < '1' || text[3] > '9' || text[4] != ':')
        return 1;
    char *line = text + 5;
    size_t at = (size_t)(text[1] - '0'), count = (size_t)(text[3] - '0');
    if (at + count > strlen(line))
        return 1;
    if (text[0] == 'd')
        delete(line, at, count);
    else if (text[0] == 'k')
        keep(line, at, count);
    puts(line);
    return 0;
}
