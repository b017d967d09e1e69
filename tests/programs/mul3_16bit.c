// x * 3 == 0x1234 over a 16-bit value: solvable when the product wraps at 16
// bits (x = 0xb0bc), impossible when it does not.
//~ STDIN: "\x34\x12"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    uint16_t x = 0;
    if (read(0, &x, sizeof x) != sizeof x)
        return 1;
    if (x * 3 == 0x1234)
        puts("impossible");
    if ((uint16_t)(x * 3) == 0x1234) {
        puts("wrapped");
        return 2;
    }
    if (x * 3 == 0x1233)
        puts("without wrapping");
    if ((x * 3 & 0xff) == 0x9c)
        puts("low byte");
    return 0;
}
