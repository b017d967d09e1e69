// One large function: long blocks become several programs, and many labels come out of each.
//~ SLOW
//~ STDIN: "The quick brown fox jumps over it"
#include <stdint.h>
#include <stdio.h>

struct state {
    uint8_t a, b, c, d;
    uint16_t e, f;
    uint32_t g, h;
    uint64_t i;
};

static unsigned char text[64];
static struct state state;

#define STEP(n)                                                   \
    do {                                                          \
        uint8_t a = text[(n) % 32], b = text[((n) + 7) % 32];     \
        uint8_t c = state.a, d = state.b;                         \
        uint16_t e = state.e, f = state.f;                        \
        uint32_t g = state.g + a, h = state.h ^ b;                \
        uint64_t i = state.i * 31 + c;                            \
        if (a == b + (n) % 3)                                     \
            state.c++;                                            \
        state.a = a ^ (n);                                        \
        state.b = (uint8_t)(b + c);                               \
        state.e = (uint16_t)(e + d);                              \
        state.f = (uint16_t)(f ^ a);                              \
        state.g = g;                                              \
        state.h = h + f;                                          \
        state.i = i ^ d;                                          \
        if ((n) % 16 == 5 && (g & 7) == 3)                        \
            state.d = a < 'k' ? d + e : d - b;                    \
    } while (0)

#define FOUR(n) STEP(n); STEP((n) + 1); STEP((n) + 2); STEP((n) + 3)
#define SIXTEEN(n) FOUR(n); FOUR((n) + 4); FOUR((n) + 8); FOUR((n) + 12)
#define SIXTY_FOUR(n) SIXTEEN(n); SIXTEEN((n) + 16); SIXTEEN((n) + 32); SIXTEEN((n) + 48)

int main(void)
{
    size_t length = fread(text, 1, 32, stdin);
    SIXTY_FOUR(0);
    SIXTY_FOUR(64);
    SIXTY_FOUR(128);
    if (state.g % 5 == 1)
        printf("one of five\n");
    printf("%zu %u %u %s %s\n", length, state.c, state.d > 100, state.h > 1000 ? "high" : "low",
           state.i & 1 ? "odd" : "even");
    return 0;
}
