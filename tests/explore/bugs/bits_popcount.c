// A set of flags: exactly twelve of them, no two neighbours, the highest one among them.
//~ LEN: 4
//~ FINDS: abort apply
//~ SOLUTION: "\x55\x55\x15\x80"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int popcount(uint32_t x)
{
    x = x - (x >> 1 & 0x55555555);
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return (int)(x * 0x01010101 >> 24);
}

static void apply(uint32_t flags)
{
    if ((flags & flags << 1) == 0 && popcount(flags) == 12 && flags >> 31)
        abort(); //~ HERE
    printf("%d flags\n", popcount(flags));
}

int main(void)
{
    uint32_t flags;
    if (read(0, &flags, sizeof flags) != sizeof flags)
        return 1;
    apply(flags);
    return 0;
}
