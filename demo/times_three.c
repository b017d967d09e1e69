/* One branch that random inputs take once in four thousand million times. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    uint32_t x;
    if (read(0, &x, sizeof x) != sizeof x) {
        puts("too short");
        return 2;
    }
    if (x * 3 == 0x1234) {
        puts("you found the hidden branch");
        return 1;
    }
    puts("nothing to see here");
    return 0;
}
