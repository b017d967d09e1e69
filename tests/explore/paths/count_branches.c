// Six independent branches on six bytes: 2^6 paths.
//~ STRATEGY: dfs
//~ PATHS: 64
//~ TESTS: 64
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

int main(void)
{
    unsigned char bytes[6] = {0};
    int n_large = 0;
    gimlet_symbolic(bytes, sizeof bytes, "bytes");
    for (int i = 0; i < 6; i++)
        if (bytes[i] > 100 + i)
            n_large++;
    printf("%d\n", n_large);
    return 0;
}
