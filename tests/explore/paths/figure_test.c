// `test` of the dissertation's Figure 5.1 with n = 10: ten independent inputs, 2^10 paths, no error.
//~ STRATEGY: dfs
//~ PATHS: 1024
//~ TESTS: 1024
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>

#define N 10

extern void reach_error(void);

int main(void)
{
    int a[N] = {0};
    gimlet_symbolic(a, sizeof a, "a");
    for (int i = 0; i < N; i++)
        if (a[i] == 0)
            a[i] = 1;
    for (int i = 0; i < N; i++)
        if (a[i] == 0)
            reach_error();
    return 0;
}
