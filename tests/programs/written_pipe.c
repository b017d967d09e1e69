// A pipe to itself: bytes come out in the order in which they went in, however they are cut. What it missed nobody knows: that is counted.
//~ STDIN: "abcdef"
//~ LOSES: read from a file, pipe or socket
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    unsigned char in[6], out[4];
    int ends[2];
    if (read(0, in, sizeof in) != sizeof in || pipe(ends) != 0)
        return 1;
    if (write(ends[1], "x", 1) != 1 || write(ends[1], in, 2) != 2 || write(ends[1], in + 2, 4) != 4)
        return 2;
    if (read(ends[0], out, 2) != 2)
        return 3;
    if (out[1] == 'a')
        puts("the first");
    if (read(ends[0], out, 4) != 4)
        return 4;
    if (out[0] == 'b' && out[3] == 'e')
        puts("across two writes");
    if (read(ends[0], out, 4) != 1)
        return 5;
    if (out[0] < 'm')
        puts("the last");
    return 0;
}
