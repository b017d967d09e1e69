// abs, div and their relatives as functions of the library, also called
// through pointers.
//~ STDIN: "\xf9\xff\xff\xff\x03\x00\x00\x00\x2c\x01\x00\x00\x00\x00\x00\x80"
//~ FLAGS: -fno-builtin
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    int32_t in[4] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    int (*magnitude)(int) = abs;
    if (magnitude(in[0]) == 7)
        puts("seven");
    if (labs((long)in[3]) > INT32_MAX)
        puts("long magnitude");
    if (llabs(-(long long)in[2]) == 300)
        puts("three hundred");
    int divisor = in[1] & 0xff;
    if (divisor != 0) {
        div_t d = div(in[0], divisor);
        if (d.quot == -2 && d.rem == -1)
            puts("div");
        ldiv_t l = ldiv((long)(in[2] & 0xffff) << 8, 3);
        if (l.quot == 25600)
            puts("quotient");
        if (l.rem == 0)
            puts("remainder");
        lldiv_t ll = lldiv(in[3], 16);
        if (ll.rem == -5)
            puts("lldiv");
        imaxdiv_t m = imaxdiv(in[2] & 0xfff, 7);
        if (m.quot + m.rem == 48)
            puts("imaxdiv");
    }
    return 0;
}
