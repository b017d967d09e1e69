// Options on the command line, compared by hand.
//~ ARGS: --verbose --level=3 file
//~ SYMBOLIC-ARGS
//~ FINDS: abort start
//~ SOLUTION arg1: "--unsafe"
//~ SOLUTION arg2: "--level=9"
//~ SOLUTION arg3: "file"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_unsafe, is_verbose, level;

static void start(const char *file)
{
    if (is_unsafe && level == 9)
        abort(); //~ HERE
    printf("%s %d %d\n", file, is_verbose, level);
}

int main(int argc, char **argv)
{
    const char *file = "-";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--level=", 8) == 0)
            level = atoi(argv[i] + 8);
        else if (strcmp(argv[i], "--unsafe") == 0)
            is_unsafe = 1;
        else if (strcmp(argv[i], "--verbose") == 0)
            is_verbose = 1;
        else
            file = argv[i];
    }
    start(file);
    return 0;
}
