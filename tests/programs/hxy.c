// The introductory example of the concolic literature: the error is reached
// with x = 10 and any other y.
//~ STDIN: "\x05\x00\x00\x00\x05\x00\x00\x00"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Unsigned, so that doubling is defined for every input; x = 10 + 2^31 is
// then no solution, because 2x and x + 10 differ there.
static uint32_t f(uint32_t x)
{
    return 2 * x;
}

static int h(uint32_t x, uint32_t y)
{
    if (x != y)
        if (f(x) == x + 10)
            return 1;
    return 0;
}

int main(void)
{
    uint32_t xy[2] = {0, 0};
    if (read(0, xy, sizeof xy) != sizeof xy)
        return 2;
    if (h(xy[0], xy[1])) {
        puts("error");
        return 3;
    }
    puts("fine");
    return 0;
}
