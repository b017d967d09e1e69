// The processor's counter decides how often it asks.
//~ STDIN: "abcd"
//~ BUDGET: 5s
//~ EXHAUSTED: no
//~ DIVERGES
//~ EXIT: 0
#include <stdio.h>
#include <x86intrin.h>

int main(void)
{
    char bytes[4];
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    unsigned n_rounds = (unsigned)__rdtsc() >> 6 & 7;
    for (unsigned i = 0; i < n_rounds; i++)
        if (bytes[i & 3] == 'a' + (int)i)
            puts("yes");
    return 0;
}
