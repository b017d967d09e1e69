/* Reads a little from standard input: what a run of PROG.edges costs by itself. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char bytes[64];
    ssize_t n = read(0, bytes, sizeof bytes);
    if (n > 3 && bytes[0] == 'a' && bytes[1] == 'b')
        puts("ab");
    for (ssize_t i = 0; i < n; i++)
        if (bytes[i] == 'x')
            puts("x");
    return 0;
}
