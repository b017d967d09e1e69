// What went into a stream comes back from it: items, texts and single characters, by other functions than it was written. What it missed nobody knows: that is counted.
//~ STDIN: "one:2"
//~ LOSES: read from a file, pipe or socket
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char in[6] = {0}, line[16] = "";
    if (read(0, in, 5) != 5)
        return 1;
    char path[] = "written-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 || unlink(path) != 0 ? NULL : fdopen(fd, "w+");
    if (!file)
        return 2;
    fwrite(in, 1, 3, file);
    putc(in[3], file);
    fputs(in + 4, file);
    fputs("\nlast\n", file);
    rewind(file);
    if (getc(file) == 'o')
        puts("begins with an o");
    if (!fgets(line, sizeof line, file))
        return 3;
    if (line[2] == ':')
        puts("a colon");
    if (line[3] > '1')
        puts("more than one");
    if (fgets(line, sizeof line, file) && strcmp(line, "last\n") == 0)
        puts("and the last");
    // Once more, from the middle.
    if (fseek(file, 1, SEEK_SET) != 0 || fread(line, 1, 2, file) != 2)
        return 4;
    if (line[0] == 'n')
        puts("then an n");
    fclose(file);
    return 0;
}
