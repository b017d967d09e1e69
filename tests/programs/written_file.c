// What a program wrote into files it reads again: with read and pread, behind a seek, over something older, mapped. What it missed nobody knows: that is counted.
//~ STDIN: "k7-q"
//~ LOSES: read from a file, pipe or socket
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
    unsigned char in[4], back[8] = {0};
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    char path[] = "written-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || unlink(path) != 0)
        return 2;
    if (write(fd, "head", 4) != 4 || write(fd, in, 4) != 4)
        return 3;
    // Over the third byte of the head.
    if (pwrite(fd, in + 3, 1, 2) != 1)
        return 4;
    if (lseek(fd, 0, SEEK_SET) != 0 || read(fd, back, 6) != 6)
        return 5;
    if (back[2] == 'q')
        puts("over the head");
    if (back[3] == 'd')
        puts("the head's own");
    if (back[4] == 'k' && back[5] == '7')
        puts("behind the head");
    struct iovec parts[2] = {{"+", 1}, {in + 1, 2}};
    if (writev(fd, parts, 2) != 3)
        return 6;
    if (pread(fd, back, 3, 6) != 3)
        return 7;
    if (back[0] == '+' && back[1] > '4')
        puts("from parts");
    const unsigned char *map = mmap(NULL, 9, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return 8;
    if (map[8] == '-')
        puts("mapped");
    return 0;
}
