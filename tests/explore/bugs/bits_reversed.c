// A number whose bits read backwards are seven times itself.
//~ LEN: 4
//~ FINDS: abort main
//~ SOLUTION: "\x2c\xc1\x12\x2c"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t reversed(uint32_t x)
{
    uint32_t y = 0;
    for (int i = 0; i < 32; i++)
        y |= (x >> i & 1) << (31 - i);
    return y;
}

int main(void)
{
    unsigned char bytes[4];
    uint32_t x;
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    memcpy(&x, bytes, sizeof x);
    if (x >> 28 == 0 || reversed(x) != x * 7u) {
        puts("nothing special");
        return 0;
    }
    abort(); //~ HERE
}
