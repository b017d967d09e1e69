// Leaving in the middle: exit from nested calls with input-dependent codes,
// atexit handlers that branch on the input, and _Exit.
//~ STDIN: "e\x07q"
//~ EXIT: 14
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned char in[3];

static void last(void)
{
    if (in[2] == 'q')
        puts("quiet");
    else if (in[2] > 'q')
        puts("loud");
}

static void leave(unsigned code)
{
    if (code > 100)
        code = 100 + (code & 7);
    puts("leaving");
    exit((int)code);
}

static unsigned nested(unsigned depth, unsigned code)
{
    if (code > 200)
        return code;
    if (depth == 0)
        leave(code);
    return nested(depth - 1, code + in[1]) + 1;
}

int main(void)
{
    if (read(0, in, sizeof in) < 0 || atexit(last) != 0)
        return 1;
    switch (in[0]) {
    case 'e': if (nested(2, 0) > 300) puts("returned"); break;
    case 'n': nested(in[1] & 15, 1); break;
    case 'x': fflush(stdout); _Exit(in[1] == 9 ? 9 : 8);
    case 'r': return in[1] & 63;
    }
    puts("reached the end");
    return 0;
}
