// A hash by multiplication with an odd constant of 64 bits has one preimage.
//~ LEN: 8
//~ FINDS: abort check
//~ SOLUTION: "\x15\xd2\xb8\xf4\xa2\x1e\x0c\x00"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t hash(uint64_t x)
{
    return x * 0x9e3779b97f4a7c15ull;
}

static void check(uint64_t x)
{
    if (hash(x) == 0xdfb69db9bdfd67b9ull)
        abort(); //~ HERE
    printf("%016llx\n", (unsigned long long)hash(x));
}

int main(void)
{
    uint64_t x;
    if (read(0, &x, sizeof x) != sizeof x)
        return 1;
    check(x);
    return 0;
}
