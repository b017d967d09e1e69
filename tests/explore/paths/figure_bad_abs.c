// `bad_abs` of the EGT paper: three tests, one of which is 12345678.
//~ STRATEGY: dfs
//~ PATHS: 3
//~ TESTS: 3
//~ EXHAUSTED: yes
//~ TEST x: "\x4e\x61\xbc\x00"
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

static unsigned bad_abs(int x)
{
    if (x < 0)
        return -(unsigned)x;
    if (x == 12345678)
        return -(unsigned)x;
    return (unsigned)x;
}

int main(void)
{
    int x = 0;
    gimlet_symbolic(&x, sizeof x, "x");
    printf("%u\n", bad_abs(x));
    return 0;
}
