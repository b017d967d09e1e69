// The names of included files are copied; where one is a directory, the copy is lost.
//~ STDIN: "use a.h\nuse lib.c\n"
//~ OPTIONS: --leaks
//~ FINDS: leak include
//~ SOLUTION: "use a.h\nuse libc/\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_files;

static int include(const char *line)
{
    size_t len = strlen(line);
    char *name = malloc(len + 1); //~ HERE
    if (!name)
        return -1;
    memcpy(name, line, len + 1);
    if (len == 0 || name[len - 1] == '/') {
#ifdef FIXED
        free(name);
#endif
        return -1; //~ HERE
    }
    printf("%d: %s\n", ++n_files, name);
    free(name);
    return 0;
}

int main(void)
{
    char text[40];
    int n_bad = 0;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "use ", 4) == 0)
            n_bad += include(line + 4) != 0;
    if (n_bad)
        printf("%d refused\n", n_bad);
    return n_bad != 0;
}
