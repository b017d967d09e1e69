// `h` of the dissertation's Figure 2.1: three paths, one of which is an error.
//~ STRATEGY: dfs
//~ PATHS: 3
//~ TESTS: 3
//~ EXHAUSTED: yes
//~ FINDS: unreachable h
//~ SOLUTION x: "\x0a\x00\x00\x00"
//~ SOLUTION y: "\x11\x09\x00\x00"
//~ QUICK
#include <gimlet.h>

extern void reach_error(void);

// The paper's integers are mathematical ones; these wrap around.
static unsigned f(unsigned x)
{
    return 2 * x;
}

static int h(unsigned x, unsigned y)
{
    if (x != y)
        if (f(x) == x + 10)
            reach_error(); //~ HERE
    return 0;
}

int main(void)
{
    unsigned x = 3434, y = 2321;
    gimlet_symbolic(&x, sizeof x, "x");
    gimlet_symbolic(&y, sizeof y, "y");
    return h(x, y);
}
