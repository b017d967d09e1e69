// Overflow that does happen, asked for by builtins and by saturation: the flag is what it was in the run.
//~ STDIN: "\x7f\x01\xf0\x20"
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    signed char in[4], sum;
    unsigned char product;
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    bool over = __builtin_add_overflow(in[0], in[1], &sum);
    if (over && sum < -100)
        puts("the sum is too large");
    unsigned n_over = over + 2 * __builtin_mul_overflow((unsigned char)in[2], (unsigned char)in[3], &product);
    if (n_over == 3)
        puts("so is the product");
    int limited = __builtin_add_overflow(in[0], in[1], &sum) ? 127 : sum;
    if (limited == 127)
        puts("limited");
    return 0;
}
