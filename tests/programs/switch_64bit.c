// Switches on 64-bit values, with negative cases and values beyond 32 bits;
// the low halves of some cases coincide.
//~ STDIN: "\x01\x00\x00\x00\x01\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int on_unsigned(uint64_t v)
{
    switch (v) {
    case 1: return 1;
    case 0x100000001: return 2;
    case 0x8000000000000001: return 3;
    case 0xffffffff00000001: return 4;
    case UINT64_MAX: return 5;
    default: return 0;
    }
}

static int on_signed(int64_t v)
{
    switch (v) {
    case INT64_MIN: return 1;
    case -5000000000: return 2;
    case -2: return 3;
    case -1: return 4;
    case 0: return 5;
    case 1: return 6;
    case 5000000000: return 7;
    case INT64_MAX: return 8;
    }
    return 0;
}

// A 128-bit switch is possible too.
static int on_128(__int128 v)
{
    switch (v) {
    case -1: return 1;
    case (__int128)1 << 100: return 2;
    case ((__int128)-2 << 64) + 0x100000001: return 3;
    }
    return 0;
}

int main(void)
{
    uint64_t v[2] = {0};
    if (read(0, v, sizeof v) < 0)
        return 1;
    int a = on_unsigned(v[0]), b = on_signed((int64_t)v[1]);
    int c = on_128((__int128)((unsigned __int128)v[1] << 64 | v[0]));
    printf("%d %d %d\n", a, b, c);
    switch (a * 10 + b) {
    case 23: puts("both"); break;
    case 20: puts("first"); break;
    case 3: puts("second"); break;
    }
    if (on_signed((int64_t)(v[0] - v[1])) == 7)
        puts("far apart");
    return 0;
}
