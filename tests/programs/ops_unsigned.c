// Every binary and unary integer operator on unsigned values of 8, 16, 32
// and 64 bits.
//~ STDIN: "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x01"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition, letter) \
    do { if (condition) putchar(letter); } while (0)

// The factor 1u keeps 16-bit products out of signed arithmetic.
#define DEFINE_OPS(T)                                             \
    static void ops_##T(const unsigned char *p)                   \
    {                                                             \
        T a, b;                                                   \
        memcpy(&a, p, sizeof a);                                  \
        memcpy(&b, p + 8, sizeof b);                              \
        T divisor = (T)((b & 15) + 1);                            \
        CHECK((T)(a + b) == (T)0x5a5a5a5a5a5a5a5a, 'a');          \
        CHECK((T)(a - b) > (T)(a ^ b), 'b');                      \
        CHECK((T)(1u * a * 77) == (T)0x123456789abcdef1, 'c');    \
        CHECK(((1u * a * b) & 15) == 6, 'd');                     \
        CHECK(a / divisor == 7, 'e');                             \
        CHECK(a % divisor == 5, 'f');                             \
        CHECK(a / 10 == 4, 'g');                                  \
        CHECK(a % 10 == 7, 'h');                                  \
        CHECK((T)(a & b) == (T)0x1111111111111111, 'i');          \
        CHECK((T)(a | b) == (T)0x9b9b9b9b9b9b9b9b, 'j');          \
        CHECK((T)(a ^ b) == (T)0x8888888888888888, 'k');          \
        CHECK((T)~a == (T)0x00000000000000f0, 'l');               \
        CHECK((T)-b == 3, 'm');                                   \
        CHECK(!(T)(a - 17), 'n');                                 \
        CHECK((T)(1u * a << 3) == 0x88, 'o');                     \
        CHECK((T)(b >> 5) == 4, 'p');                             \
        T c = a;                                                  \
        c += 5; c -= b; c ^= a; c |= 2; c &= (T)~4u; c <<= 1;     \
        c >>= 2; c /= 3; c %= 100; c++; --c;                      \
        CHECK(c == 42, 'q');                                      \
        CHECK(c++ > 20, 'r');                                     \
        CHECK(++c < 50, 's');                                     \
        putchar('\n');                                            \
    }

DEFINE_OPS(uint8_t)
DEFINE_OPS(uint16_t)
DEFINE_OPS(uint32_t)
DEFINE_OPS(uint64_t)

int main(void)
{
    unsigned char input[16] = {0};
    if (read(0, input, sizeof input) < 0)
        return 1;
    ops_uint8_t(input);
    ops_uint16_t(input);
    ops_uint32_t(input);
    ops_uint64_t(input);
    return 0;
}
