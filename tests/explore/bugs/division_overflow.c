// A quotient of two numbers: zero is refused, but one quotient does not fit.
//~ STDIN: "\x10\x00\x00\x00\x02\x00\x00\x00"
//~ FINDS: division-overflow quotient
//~ SOLUTION: "\x00\x00\x00\x80\xff\xff\xff\xff"
//~ QUICK
#include <stdint.h>
#include <stdio.h>

static int32_t quotient(int32_t a, int32_t b)
{
    return a / b; //~ HERE
}

int main(void)
{
    int32_t numbers[2];
    if (fread(numbers, sizeof numbers, 1, stdin) != 1 || numbers[1] == 0)
        return 1;
    printf("%d\n", quotient(numbers[0], numbers[1]));
    return 0;
}
