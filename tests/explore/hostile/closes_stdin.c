// It closes standard input, and everything else, before and after it reads.
//~ STDIN: "ab"
//~ EXIT: 0
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char c;
    if (read(0, &c, 1) != 1)
        return 1;
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    if (read(0, &c, 1) == 1)
        return 2;
    return c == 'x' ? 3 : 4;
}
