// The weighted sum of 64 bytes has one certain value.
//~ LEN: 64
//~ FINDS: abort main
//~ SOLUTION: "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00v\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    uint8_t bytes[64];
    uint32_t sum = 0;
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    for (uint32_t i = 0; i < 64; i++)
        sum += (i + 1) * bytes[i];
    if (sum == 271828)
        abort(); //~ HERE
    printf("%u\n", sum);
    return 0;
}
