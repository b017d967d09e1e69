// The remainder of 64 bits behind a tag; the divisor is made from a byte.
//~ STDIN: "MOD 12345678\x05"
//~ FINDS: division-overflow remainder_of
//~ SOLUTION: "MOD \x00\x00\x00\x00\x00\x00\x00\x80\xff"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int64_t remainder_of(int64_t a, int64_t b)
{
    return a % b; //~ HERE
}

int main(void)
{
    unsigned char bytes[13];
    int64_t a;
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes || memcmp(bytes, "MOD ", 4) != 0)
        return 1;
    memcpy(&a, bytes + 4, sizeof a);
    int64_t b = (signed char)bytes[12];
    if (b == 0)
        return 1;
    printf("%lld\n", (long long)remainder_of(a, b));
    return 0;
}
