// It crashes on every input, after it has branched on it: every way ends in the same place.
//~ STDIN: "abc"
//~ FINDS: segv fail
//~ SAYS: "segv"
//~ EXIT: 10
#include <stdio.h>

int *nowhere;

__attribute__((noinline)) static int fail(int c)
{
    return *nowhere + c; //~ HERE
}

int main(void)
{
    int c = getchar();
    if (c == 'a')
        puts("an a");
    else if (c == 'b')
        puts("a b");
    return fail(c) & 1;
}
