// The same with every length up to three: lengths 0, 1 and 2 are one more path each.
//~ STRATEGY: dfs
//~ LEN: 3
//~ MAX-LEN: 3
//~ PATHS: 7
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
