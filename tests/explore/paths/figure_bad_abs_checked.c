// `bad_abs` with the check that the EGT paper makes of its three tests.
//~ STRATEGY: dfs
//~ EXHAUSTED: yes
//~ FINDS: assertion main
//~ SOLUTION x: "\x4e\x61\xbc\x00"
#include <assert.h>
#include <gimlet.h>
#include <limits.h>

static int bad_abs(int x)
{
    if (x < 0)
        return -x;
    if (x == 12345678)
        return -x;
    return x;
}

int main(void)
{
    int x = 0;
    gimlet_symbolic(&x, sizeof x, "x");
    if (x == INT_MIN)
        return 0;
    assert(bad_abs(x) >= 0); //~ HERE
    return 0;
}
