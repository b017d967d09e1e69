// A program that dies of SIGABRT on its seed, deep inside calls; the flipped
// inputs do not.
//~ STDIN: "bug!\x2a\x00"
//~ SIGNAL: SIGABRT
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(uint16_t code)
{
    if (code * 5 == 210)
        abort();
    if (code > 1000)
        puts("large code");
}

int main(void)
{
    unsigned char in[6] = {0};
    uint16_t code;
    if (read(0, in, sizeof in) < 0)
        return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    memcpy(&code, in + 4, sizeof code);
    if (in[0] == 'b') {
        puts("b");
        if (in[1] == 'u') {
            puts("u");
            if (in[2] == 'g' && in[3] == '!')
                check(code);
        }
    }
    puts("survived");
    return 0;
}
