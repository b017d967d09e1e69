// `g` of the dissertation's Figure 2.2, whose paths get longer and longer, with a bound:
// one path each for what is above it, for what is not positive, and for 1 to 20.
//~ STRATEGY: dfs
//~ PATHS: 22
//~ TESTS: 22
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

#define BOUND 20

static int g(int x)
{
    int ret = 0;
    while (x > 0) {
        ret += x;
        x--;
    }
    return ret;
}

int main(void)
{
    int x = 0;
    gimlet_symbolic(&x, sizeof x, "x");
    if (x > BOUND)
        return 1;
    printf("%d\n", g(x));
    return 0;
}
