// A rate is computed only in one mode; the interval there can come out as zero.
//~ STDIN: "f\x09\x04"
//~ FINDS: division-by-zero rate
//~ SOLUTION: "r\x20\x08"
//~ QUICK
#include <stdio.h>

static unsigned rate(unsigned amount, unsigned start, unsigned end)
{
    return amount / (end * 4 - start); //~ HERE
}

int main(void)
{
    unsigned char request[3];
    if (fread(request, 1, sizeof request, stdin) != sizeof request)
        return 1;
    if (request[0] == 'r' && request[1] > 16)
        printf("rate %u\n", rate(1000, request[1], request[2]));
    else
        printf("mode %c\n", request[0]);
    return 0;
}
