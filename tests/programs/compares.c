// All ten comparisons, signed and unsigned, at every width, used as branch
// conditions and as values.
//~ STDIN: "\x7f\x80\x01\x00\xff\xff\xff\x7f\x00\x80\x01\x00\xff\xff\xff\x7f"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFINE_COMPARES(T)                                           \
    static unsigned compare_##T(const unsigned char *p)              \
    {                                                                \
        T a, b;                                                      \
        memcpy(&a, p, sizeof a);                                     \
        memcpy(&b, p + 8, sizeof b);                                 \
        if (a == b)                                                  \
            printf("eq ");                                           \
        if (a != (T)(b + 1))                                         \
            printf("ne ");                                           \
        if (a < b)                                                   \
            printf("lt ");                                           \
        if (a <= (T)~b)                                              \
            printf("le ");                                           \
        if (a > (T)0x6f)                                             \
            printf("gt ");                                           \
        if ((T)~a >= b)                                              \
            printf("ge ");                                           \
        /* As values: their sum decides a branch. */                 \
        unsigned sum = (a < b) + 2 * (a >= 100) + 4 * (b == (T)-1) + \
                       8 * (b > 0) + 16 * (a != b);                  \
        if (sum == 27 || sum == 2)                                   \
            printf("sum ");                                          \
        return sum;                                                  \
    }

DEFINE_COMPARES(uint8_t)
DEFINE_COMPARES(uint16_t)
DEFINE_COMPARES(uint32_t)
DEFINE_COMPARES(uint64_t)
DEFINE_COMPARES(int8_t)
DEFINE_COMPARES(int16_t)

// Adding one to the extreme values would overflow in these.
#define DEFINE_SIGNED(T)                                             \
    static unsigned compare_##T(const unsigned char *p)              \
    {                                                                \
        T a, b;                                                      \
        memcpy(&a, p, sizeof a);                                     \
        memcpy(&b, p + 8, sizeof b);                                 \
        unsigned sum = 0;                                            \
        if (a < b)                                                   \
            sum += 1;                                                \
        if (a <= -(b / 2))                                             \
            sum += 2;                                                \
        if (a > ~b)                                                  \
            sum += 4;                                                \
        if (a >= (T)0x7fffffff)                                      \
            printf("large ");                                        \
        return sum;                                                  \
    }

DEFINE_SIGNED(int32_t)
DEFINE_SIGNED(int64_t)

int main(void)
{
    unsigned char in[16] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    unsigned total = compare_uint8_t(in) + compare_uint16_t(in) +
                     compare_uint32_t(in) + compare_uint64_t(in) +
                     compare_int8_t(in) + compare_int16_t(in) +
                     compare_int32_t(in) + compare_int64_t(in);
    printf("%u\n", total);
    return 0;
}
