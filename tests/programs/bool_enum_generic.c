// _Bool (in arithmetic, as array elements, as bit-field, as parameter),
// enums as numbers, _Generic and statement expressions.
//~ STDIN: "\x01\x02\x00\x05\xff\x03"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum level { LOW = 1, MIDDLE = 2, HIGH = 4, ALL = LOW | MIDDLE | HIGH };

struct flags { bool first : 1; bool second : 1; bool whole; };

#define WIDTH_OF(v) _Generic((v), uint8_t: 8, int16_t: 16, uint32_t: 32, default: 64)

#define MAXIMUM(a, b)                    \
    ({                                   \
        __typeof__(a) a_ = (a);          \
        __typeof__(b) b_ = (b);          \
        a_ > b_ ? a_ : b_;               \
    })

static __attribute__((noinline)) bool both(bool a, bool b) { return a & b; }
static __attribute__((noinline)) bool flip(bool a) { return !a; }
static __attribute__((noinline)) int weight(bool a, bool b, bool c)
{
    return a + 2 * b + 4 * c;
}

int main(void)
{
    unsigned char in[6] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    bool a = in[0], b = in[1] == 2, c = in[2];
    if (both(a, b) && flip(c))
        puts("bools");
    if (weight(a, b, c) == 6)
        puts("six");
    bool seen[4] = {false};
    for (int i = 0; i < 6; i++)
        seen[in[i] & 3] |= in[i] < 4;
    if (seen[0] + seen[1] + seen[2] + seen[3] == 4)
        puts("all seen");

    struct flags f = {in[3] & 1, in[3] & 2, in[3] & 4};
    if (f.first && !f.second && f.whole)
        puts("flags");
    f.second ^= f.first;
    f.whole = f.whole > (in[4] == 7);
    if (f.second == f.whole)
        puts("flags changed");

    enum level level = in[5] & ALL;
    if ((level | HIGH) == ALL)
        puts("all levels");
    if (level == MIDDLE)
        puts("middle");
    uint8_t small = in[4];
    int16_t half = (int16_t)(in[4] * -2);
    int total = small % WIDTH_OF(small) + half % WIDTH_OF(half);
    if (total == 7 - 14)
        puts("widths");
    if (MAXIMUM(in[0], in[5]) == 3)
        puts("maximum");
    printf("%d\n", total);
    return 0;
}
