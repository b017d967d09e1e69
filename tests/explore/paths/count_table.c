// A table lookup is one expression: three classes of bytes, twice, are 9 paths.
//~ STRATEGY: dfs
//~ PATHS: 9
//~ TESTS: 9
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

static unsigned char classes[256];

int main(void)
{
    unsigned char bytes[2] = {0};
    for (int c = '0'; c <= '9'; c++)
        classes[c] = 1;
    for (int c = 'a'; c <= 'z'; c++)
        classes[c] = 2;
    gimlet_symbolic(bytes, sizeof bytes, "bytes");
    for (int i = 0; i < 2; i++) {
        if (classes[bytes[i]] == 1)
            puts("digit");
        else if (classes[bytes[i]] == 2)
            puts("letter");
        else
            puts("other");
    }
    return 0;
}
