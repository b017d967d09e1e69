// Variadic functions: narrow and wide integers mixed with doubles, more
// arguments than fit in registers, and va_copy.
//~ STDIN: "\x07\x80\x05\x00\xff\xff\xff\x7f\x01\x00\x00\x00\x01\x00\x00\x00"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) int sum(int count, ...)
{
    va_list ap;
    int total = 0;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        total += va_arg(ap, int);
    va_end(ap);
    return total;
}

// i: int, l: long long, c: promoted char, d: double (skipped).
static __attribute__((noinline)) long long mixed(const char *types, ...)
{
    va_list ap;
    unsigned long long total = 0;
    va_start(ap, types);
    for (; *types; types++) {
        switch (*types) {
        case 'i': total += (unsigned long long)va_arg(ap, int); break;
        case 'l': total ^= (unsigned long long)va_arg(ap, long long); break;
        case 'c': total -= (unsigned char)va_arg(ap, int); break;
        case 'd': (void)va_arg(ap, double); break;
        }
    }
    va_end(ap);
    return (long long)total;
}

// Goes over its arguments twice: the largest, then how many are near it.
static __attribute__((noinline)) int near_largest(int count, ...)
{
    va_list ap, again;
    int largest = -1, near = 0;
    va_start(ap, count);
    va_copy(again, ap);
    for (int i = 0; i < count; i++) {
        int v = va_arg(ap, int);
        if (v > largest)
            largest = v;
    }
    va_end(ap);
    for (int i = 0; i < count; i++)
        near += largest - va_arg(again, int) < 10;
    va_end(again);
    return near;
}

int main(void)
{
    unsigned char in[16] = {0};
    int32_t word;
    int64_t wide;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&word, in + 4, sizeof word);
    memcpy(&wide, in + 8, sizeof wide);

    if (sum(3, in[0], in[1], in[2]) == 140)
        puts("three");
    if (sum(9, 1, in[0], 2, in[1], 3, in[2], 4, in[3], 5) == 156)
        puts("nine, some on the stack");
    if (mixed("iclc", (int)in[0], (signed char)in[1], (long long)wide, in[2]) < 0)
        puts("mixed");
    long long m = mixed("didldidldi", 1.5, word, 2.5, (long long)wide, 3.5, (int)in[0], 4.5,
                        (long long)in[2], 5.5, 100);
    if (m == 0x123456789)
        puts("exact");
    if (m > INT32_MAX)
        puts("beyond 32 bits");
    int near = near_largest(8, in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]);
    if (near > 2)
        puts("several near the largest");
    printf("%lld %d\n", m, near);
    return 0;
}
