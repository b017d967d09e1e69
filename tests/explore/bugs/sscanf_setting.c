// Settings "name=value" by sscanf, with a word and a number.
//~ STDIN: "depth=3\n"
//~ FINDS: division-by-zero apply
//~ SOLUTION: "scale=100\n"
#include <stdio.h>
#include <string.h>

static int scale = 1;

static void apply(const char *name, int value)
{
    if (strcmp(name, "scale") == 0)
        scale = 1000 / (100 - value); //~ HERE
    else if (strcmp(name, "depth") == 0)
        scale += value & 0xff;
}

int main(void)
{
    char line[40], name[9];
    int value;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%8[a-z]=%6d", name, &value) != 2 || value < 0) {
            puts("?");
            continue;
        }
        apply(name, value);
    }
    printf("scale %d\n", scale);
    return 0;
}
