// It takes all memory there is, on every input.
//~ STDIN: "ab"
//~ OPTIONS: --max-memory 512
//~ BUDGET: 20s
//~ FINDS: out-of-memory main
//~ SAYS: "out-of-memory"
//~ EXIT: 10
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int c = getchar();
    for (;;) {
        char *block = malloc(1 << 20);
        if (!block)
            return 1;
        memset(block, c, 1 << 20);
        block[c & 0xff] = '\0';
        if (strlen(block) == 1)
            puts("short");
    }
}
