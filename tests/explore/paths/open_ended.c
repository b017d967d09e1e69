// More paths than steps: the search is cut off, and must not claim that it is complete.
//~ STRATEGY: dfs
//~ STEPS: 200
//~ EXHAUSTED: no
#include <gimlet.h>
#include <stdio.h>

int main(void)
{
    unsigned x = 0, n_steps = 0;
    gimlet_symbolic(&x, sizeof x, "x");
    while (x > 1 && n_steps < 60) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        n_steps++;
    }
    printf("%u\n", n_steps);
    return 0;
}
