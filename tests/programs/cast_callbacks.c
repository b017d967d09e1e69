// Functions called through pointers of other types: wider arguments than the
// callee takes, as callbacks with a void pointer often have them.
//~ STDIN: "\x05\x00\x00\x00\x07\x00\x00\x00wide"
//~ FLAGS: -Wno-cast-function-type-mismatch
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int seen;

static void narrow(int x)
{
    if (x == 5)
        puts("five");
    seen += x & 0xff;
}

static void each(void (*visit)(void *), void *data)
{
    visit(data);
}

int main(void)
{
    unsigned char in[12] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    uintptr_t first = in[0] | (uintptr_t)in[1] << 8 | (uintptr_t)in[8] << 40;
    uintptr_t second = in[4] | (uintptr_t)in[5] << 8;
    each((void (*)(void *))narrow, (void *)first);
    each((void (*)(void *))narrow, (void *)second);
    if (seen == 12)
        puts("twelve");
    return 0;
}
