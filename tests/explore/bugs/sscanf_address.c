// A dotted address by sscanf; one network is treated specially.
//~ STDIN: "127.0.0.1"
//~ FINDS: abort route
//~ SOLUTION: "10.66.6.1"
#include <stdio.h>
#include <stdlib.h>

static void route(const unsigned *part)
{
    unsigned network = part[0] << 16 | part[1] << 8 | part[2];
    if (network == 0x0a4206 && part[3] != 0)
        abort(); //~ HERE
    printf("%06x\n", network);
}

int main(void)
{
    char text[32];
    unsigned part[4];
    if (!fgets(text, sizeof text, stdin))
        return 1;
    if (sscanf(text, "%3u.%3u.%3u.%3u", &part[0], &part[1], &part[2], &part[3]) != 4)
        return 1;
    for (int i = 0; i < 4; i++)
        if (part[i] > 255)
            return 1;
    route(part);
    return 0;
}
