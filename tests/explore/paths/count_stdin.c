// Bytes from standard input, of the length that they have: a path for each position of the first line end, and one for none.
//~ STRATEGY: dfs
//~ LEN: 3
//~ PATHS: 4
//~ EXHAUSTED: yes
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char bytes[3];
    int length = 0;
    if (read(0, bytes, sizeof bytes) != sizeof bytes)
        return 1;
    while (length < 3 && bytes[length] != '\n')
        length++;
    printf("%d\n", length);
    return 0;
}
