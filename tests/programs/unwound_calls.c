// Calls that may unwind (LLVM's invoke, because of a variable with a cleanup): labels of arguments and of results go
// through them as through any other call.
//~ STDIN: "\x05\x03\x10\x20ab7\n"
//~ FLAGS: -fexceptions
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
    long first, second;
};

static int n_cleaned;

static void clean(int *value)
{
    n_cleaned += *value;
}

static __attribute__((noinline)) unsigned twice(unsigned char byte)
{
    return 2u * byte;
}

static __attribute__((noinline)) struct pair both(unsigned a, unsigned b)
{
    return (struct pair){a + b, a ^ b};
}

static __attribute__((noinline)) void put(unsigned char *to, unsigned char byte)
{
    *to = (unsigned char)(byte + 1);
}

static unsigned (*volatile pointer)(unsigned char) = twice;

static __attribute__((noinline)) unsigned decide(const unsigned char *in)
{
    __attribute__((cleanup(clean))) int guard = 1;
    unsigned sum = 0;
    if (twice(in[0]) == 10)
        sum += 1;
    if (pointer(in[1]) == 7)
        sum += 2;
    struct pair pair = both(in[0], in[1]);
    if (pair.first == 9)
        sum += 4;
    if (pair.second == 6)
        sum += 8;
    unsigned char stored = 0;
    put(&stored, in[2]);
    if (stored == 0x11)
        sum += 16;
    // The result of one call or the other.
    unsigned chosen = in[3] > 0x10 ? twice(in[3]) : pointer(in[2]);
    if (chosen == 0x42)
        sum += 32;
    return sum;
}

static __attribute__((noinline)) unsigned repeat(const unsigned char *in)
{
    unsigned sum = 0;
    for (int i = 0; i < 3; i++) {
        __attribute__((cleanup(clean))) int guard = i;
        sum += twice(in[i]);
    }
    return sum;
}

int main(void)
{
    __attribute__((cleanup(clean))) int guard = 100;
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    printf("%u\n", decide(in));
    if (repeat(in) == 0x40)
        puts("sixty-four");
    if (memcmp(in + 4, "ab", 2) == 0)
        puts("ab");
    if (atoi((const char *)in + 6) == 8)
        puts("eight");
    printf("%d\n", n_cleaned);
    return 0;
}
