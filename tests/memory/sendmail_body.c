// The lines of a mail go into a buffer that is shorter than the one for commands, and are read with the size of that.
//~ STDIN: "HELO mx\nNOOP\nhello you there\nand others too\n"
//~ FINDS: stack-out-of-bounds read_line
//~ SOLUTION: "HELO mx\nDATA\nhello you there and others too\n"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { COMMAND = 40 * SCALE };

__attribute__((noinline)) static int read_line(char *line, int size)
{
    if (!fgets(line, size, stdin)) //~ HERE
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    return 1;
}

static int body(void)
{
    char line[24 * SCALE];
    int n_lines = 0;
#ifdef FIXED
    while (read_line(line, sizeof line)) {
#else
    while (read_line(line, COMMAND)) {
#endif
        if (strcmp(line, ".") == 0)
            break;
        n_lines++;
    }
    return n_lines;
}

int main(void)
{
    char command[COMMAND];
    while (read_line(command, sizeof command)) {
        if (strcmp(command, "DATA") == 0)
            printf("250 %d lines\n", body());
        else if (strcmp(command, "NOOP") == 0 || strncmp(command, "HELO ", 5) == 0)
            puts("250");
        else
            puts("500");
    }
    return 0;
}
