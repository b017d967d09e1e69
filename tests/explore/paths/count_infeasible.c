// Four branches in a row, ten of whose sixteen ways contradict themselves:
// what is below 10 is below 20, and a square is odd where its root is.
//~ STRATEGY: dfs
//~ PATHS: 6
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

int main(void)
{
    unsigned char x = 0;
    int way = 0;
    gimlet_symbolic(&x, sizeof x, "x");
    if (x < 10)
        way |= 1;
    if (x < 20)
        way |= 2;
    if (x & 1)
        way |= 4;
    if ((x * x) & 1)
        way |= 8;
    printf("%d\n", way);
    return 0;
}
