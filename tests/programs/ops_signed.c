// Every binary and unary integer operator on signed values of 8, 16, 32 and
// 64 bits, without ever overflowing.
//~ STDIN: "\xf1\xff\xff\xff\xff\xff\xff\xff\x07\x00\x00\x00\x00\x00\x00\x80"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition, letter) \
    do { if (condition) putchar(letter); } while (0)

// Halving or quartering the operands first leaves room for the sums and
// negations; the divisor is between -8 and 8 and neither 0 nor -1.
#define DEFINE_OPS(T)                                             \
    static void ops_##T(const unsigned char *p)                   \
    {                                                             \
        T a, b;                                                   \
        memcpy(&a, p, sizeof a);                                  \
        memcpy(&b, p + 8, sizeof b);                              \
        T half_a = (T)(a / 2), half_b = (T)(b / 2);               \
        T divisor = (T)((b & 7) + 2);                             \
        if (b & 8)                                                \
            divisor = (T)-divisor;                                \
        CHECK(half_a + half_b == -4, 'a');                        \
        CHECK(half_a - half_b < 0, 'b');                          \
        CHECK((T)(a % 1000) * (T)3 == -45, 'c');                  \
        CHECK((T)(a / 16) * (T)(divisor) > 100, 'd');             \
        CHECK(half_a / divisor == -1, 'e');                       \
        CHECK(half_a % divisor == -3, 'f');                       \
        CHECK(a / 10 == -1, 'g');                                 \
        CHECK(a % 10 == -5, 'h');                                 \
        CHECK(a % 8 < -4, 'i');                                   \
        CHECK((T)(a & b) == 1, 'j');                              \
        CHECK((T)(a | b) == -9, 'k');                             \
        CHECK((T)(a ^ b) < 0, 'l');                               \
        CHECK((T)~a == 14, 'm');                                  \
        CHECK(-half_a == 7, 'n');                                 \
        CHECK(!b, 'o');                                           \
        CHECK(+a >> 2 == -4, 'p');                                \
        CHECK((a >> (b & 7)) == -1, 'q');                         \
        CHECK(((a & 31) << 2) == 68, 'r');                        \
        T c = (T)(a / 4);                                         \
        c += 5; c -= (T)(b / 4); c ^= 3; c |= 2; c &= (T)~4;      \
        c /= 3; c %= 100; c >>= 1; c *= 2; c++; --c;              \
        CHECK(c == 42, 's');                                      \
        CHECK(c++ > -20, 't');                                    \
        CHECK(++c <= 0, 'u');                                     \
        putchar('\n');                                            \
    }

DEFINE_OPS(int8_t)
DEFINE_OPS(int16_t)
DEFINE_OPS(int32_t)
DEFINE_OPS(int64_t)

int main(void)
{
    unsigned char input[16] = {0};
    if (read(0, input, sizeof input) < 0)
        return 1;
    ops_int8_t(input);
    ops_int16_t(input);
    ops_int32_t(input);
    ops_int64_t(input);
    return 0;
}
