// Formatted output to a file is not followed: what is read of it is counted.
//~ STDIN: "\x07"
//~ LOSES: read from a file, pipe or socket
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    unsigned char in = 0;
    int back = 0;
    if (read(0, &in, 1) < 0)
        return 1;
    char path[] = "written-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 || unlink(path) != 0 ? NULL : fdopen(fd, "w+");
    if (!file || fprintf(file, "%d\n", in) < 0)
        return 2;
    rewind(file);
    if (fscanf(file, "%d", &back) != 1)
        return 3;
    if (back == 7)
        puts("seven");
    return 0;
}
