// Compiler hints around input-dependent conditions: __builtin_expect,
// guarded __builtin_unreachable, __builtin_constant_p, __builtin_assume.
//~ STDIN: "hint\x07\x02"
#include <stdio.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// The caller passes 0 to 3 only.
static __attribute__((noinline)) const char *direction(unsigned d)
{
    switch (d) {
    case 0: return "north";
    case 1: return "east";
    case 2: return "south";
    case 3: return "west";
    }
    __builtin_unreachable();
}

static inline int square(int v)
{
    if (__builtin_constant_p(v))
        return v * v;
    int result = 0;
    for (int i = 0; i < v; i++)
        result += v;
    return result;
}

static __attribute__((noinline)) int halve(int v)
{
    __builtin_assume(v >= 0);
    return v / 2;
}

int main(void)
{
    unsigned char in[6] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (likely(in[0] == 'h'))
        puts("likely");
    if (unlikely(in[1] == 'I'))
        puts("unlikely");
    if (__builtin_expect((long)in[4], 7) == 7)
        puts("expected value");
    if (__builtin_expect_with_probability(in[2] < in[3], 1, 0.9))
        puts("probable");

    puts(direction(in[5] & 3));
    puts(direction(in[0] % 4));

    if (square(in[4] & 15) == square(7))
        puts("squares agree");
    if (halve(in[3]) == 58)
        puts("half");
    if (!__builtin_constant_p(in[1]) && in[1] % 5 == 3)
        puts("not a constant");
    return 0;
}
