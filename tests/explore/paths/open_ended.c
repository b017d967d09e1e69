// More paths than steps: the search is cut off, and must not claim that it is complete.
//~ STRATEGY: dfs
//~ STEPS: 100
//~ PATHS: 100
//~ EXHAUSTED: no
#include <gimlet.h>
#include <stdio.h>

int main(void)
{
    unsigned char bytes[32] = {0};
    int n_odd = 0;
    gimlet_symbolic(bytes, sizeof bytes, "bytes");
    for (int i = 0; i < 32; i++)
        if (bytes[i] & 1)
            n_odd++;
    printf("%d\n", n_odd);
    return 0;
}
