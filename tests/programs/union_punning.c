// Unions and type punning through memcpy: the same bytes seen as integers of
// several sizes, as an array, as a float's bits and as a tagged variant.
//~ STDIN: "\x02\xff\x00\x00\xc8\x42\x34\x12\x9a"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

union word {
    uint64_t all;
    uint32_t half[2];
    uint16_t quarter[4];
    uint8_t byte[8];
    struct { uint8_t first; int8_t second; uint16_t third; int32_t last; } parts;
};

struct variant {
    enum { SMALL, PAIR, TEXT } tag;
    union {
        int8_t small;
        struct { uint16_t a, b; } pair;
        char text[5];
    } u;
};

static int value(const struct variant *v)
{
    switch (v->tag) {
    case SMALL: return v->u.small;
    case PAIR: return v->u.pair.a - v->u.pair.b;
    case TEXT: return v->u.text[0] + v->u.text[4];
    }
    return 0;
}

int main(void)
{
    unsigned char in[9] = {0};
    union word w = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(w.byte, in, sizeof w.byte);

    if (w.all >> 56 == 0x12)
        puts("top byte");
    if (w.half[1] == 0x123442c8)
        puts("upper half");
    if (w.quarter[3] - w.quarter[2] == 0x1234 - 0x42c8)
        puts("quarters");
    if (w.parts.second < 0 && w.parts.third == 0)
        puts("parts");
    w.quarter[1] ^= w.byte[8 - 1 - (w.byte[0] & 1)];
    if (w.half[0] == 0x0012ff02)
        puts("changed");

    float f;
    uint32_t bits;
    memcpy(&f, in + 2, sizeof f);
    memcpy(&bits, &f, sizeof bits);
    if (bits == 0x42c80000)
        puts("one hundred");
    if (bits >> 31)
        puts("negative");

    struct variant v;
    v.tag = in[8] % 3;
    memcpy(v.u.text, in + 1, sizeof v.u.text);
    int n = value(&v);
    if (n == -1)
        puts("minus one");
    printf("%d\n", n);
    return 0;
}
