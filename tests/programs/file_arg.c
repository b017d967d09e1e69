// Options on the command line and a file named there: the file's lines are
// counted or its numbers added up.
//~ FILE: "12 7\n30 x 5\n100\n"
//~ ARGS: -s -l 40 @@
#include <stdio.h>
#include <string.h>

static unsigned parse(const char *s)
{
    unsigned v = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        v = v * 10 + (unsigned)(*s - '0');
    return v;
}

int main(int argc, char **argv)
{
    int add = 0;
    unsigned limit = 1000;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-s") == 0)
            add = 1;
        else if (strcmp(argv[i], "-l") == 0 && i + 1 < argc)
            limit = parse(argv[++i]);
        else
            path = argv[i];
    }
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        return 2;

    unsigned lines = 0, sum = 0, value = 0, over = 0;
    int c, in_number = 0;
    while ((c = getc(f)) != EOF) {
        if (c >= '0' && c <= '9') {
            value = (value * 10 + (unsigned)(c - '0')) % 100000;
            in_number = 1;
            continue;
        }
        if (in_number && value > limit)
            over++;
        else if (in_number && add)
            sum += value;
        value = 0;
        in_number = 0;
        if (c == '\n')
            lines++;
    }
    fclose(f);
    if (sum == 54)
        puts("fifty-four");
    if (over > 1)
        puts("two over the limit");
    if (lines == 4)
        puts("four lines");
    printf("%u lines, sum %u, %u over\n", lines, sum, over);
    return 0;
}
