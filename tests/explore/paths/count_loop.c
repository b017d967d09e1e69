// A loop up to a bound from the input, with a branch in each round: the sum of 2^n for n from 0 to 4, and one for what is above.
//~ STRATEGY: dfs
//~ PATHS: 32
//~ EXHAUSTED: yes
#include <gimlet.h>
#include <stdio.h>

#define ROUNDS_MAX 4

int main(void)
{
    unsigned char n_rounds = 0, bytes[ROUNDS_MAX] = {0};
    int n_odd = 0;
    gimlet_symbolic(&n_rounds, sizeof n_rounds, "rounds");
    gimlet_symbolic(bytes, sizeof bytes, "bytes");
    if (n_rounds > ROUNDS_MAX)
        return 1;
    for (int i = 0; i < n_rounds; i++)
        if (bytes[i] & 1)
            n_odd++;
    printf("%d\n", n_odd);
    return 0;
}
