// Its ways depend on the time as well, which is the real one here: divergences are counted, and nothing is claimed.
//~ STDIN: "abcd"
//~ OPTIONS: --world real
//~ BUDGET: 5s
//~ EXHAUSTED: no
//~ DIVERGES
//~ EXIT: 0
#include <stdio.h>
#include <time.h>

int main(void)
{
    struct timespec now;
    unsigned char bytes[4];
    int n_larger = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    for (int i = 0; i < 4; i++)
        if (bytes[i] > (now.tv_nsec >> (8 * i) & 0xff))
            n_larger++;
    if (bytes[0] == 'x' && n_larger == 2)
        puts("lucky");
    return 0;
}
