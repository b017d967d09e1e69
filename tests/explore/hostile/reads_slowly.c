// It sleeps before each byte, but not beyond the limit.
//~ STDIN: "abc"
//~ BUDGET: 10s
//~ EXIT: 0
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char c;
    int n_letters = 0;
    while (usleep(20000), read(0, &c, 1) == 1)
        if (c >= 'a' && c <= 'z')
            n_letters++;
    printf("%d\n", n_letters);
    return 0;
}
