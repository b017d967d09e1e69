// gimlet_observe: a run says what values are, symbolic or not, and marks places.
//~ STDIN: "abcdefghijklmnopqrst\x07"
//~ OBSERVES: sum = zext32(stdin[0]) + (zext32(stdin[1]) * 3)
//~ OBSERVES: constant = 0x2a
//~ OBSERVES: mixed = stdin[3] ++ 5 ++ stdin[2]
//~ OBSERVES: long = stdin[19] ++ stdin[18] ++ stdin[17] ++ stdin[16]
//~ OBSERVES: cleared = stdin[4] ++ 0
//~ OBSERVES: unnamed = 0x0
#include <gimlet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    unsigned char in[21];
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    gimlet_observe(NULL, 0, "begin");
    unsigned sum = in[0] + in[1] * 3u;
    gimlet_observe(&sum, sizeof sum, "sum");
    int constant = 42;
    gimlet_observe(&constant, sizeof constant, "constant");
    struct { unsigned char low; unsigned char fixed; unsigned char high; } mixed = {in[2], 5, in[3]};
    gimlet_observe(&mixed, sizeof mixed, "mixed");
    gimlet_observe(in, 20, "long");
    if (in[20] > 3)
        memset(in, 0, 4);
    gimlet_observe(in, 5, "cleared");
    gimlet_observe(in + 4, in[20] & 7, "some");
    gimlet_observe(in, 1, NULL);
    puts("observed");
    return 0;
}
