// __builtin_add/sub/mul_overflow at several widths and signs, and mixed ones.
//~ STDIN: "\xf0\x7f\xff\xff\x00\x00\x00\x40\x20\x02\x00\x80\x03\x00\x00\x00"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned overflows, others;

#define TRY(T, name)                                          \
    static void try_##name(const unsigned char *p)            \
    {                                                         \
        T a, b, r;                                            \
        memcpy(&a, p, sizeof a);                              \
        memcpy(&b, p + 8, sizeof b);                          \
        if (__builtin_add_overflow(a, b, &r))                 \
            overflows++;                                      \
        else if (r == 100)                                    \
            puts(#name ": sum is 100");                       \
        if (__builtin_sub_overflow(a, b, &r))                 \
            overflows++;                                      \
        else if (r > 100)                                     \
            puts(#name ": difference over 100");              \
        if (__builtin_mul_overflow(a, (T)(b & 7), &r))        \
            overflows++;                                      \
        else                                                  \
            others++;                                         \
        if ((r & 15) == 8)                                    \
            puts(#name ": the wrapped product ends in 8");    \
    }

TRY(uint8_t, u8)
TRY(int8_t, s8)
TRY(uint16_t, u16)
TRY(int16_t, s16)
TRY(uint32_t, u32)
TRY(int32_t, s32)
TRY(uint64_t, u64)
TRY(int64_t, s64)

int main(void)
{
    unsigned char in[16] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    try_u8(in);
    try_s8(in);
    try_u16(in);
    try_s16(in);
    try_u32(in);
    try_s32(in);
    try_u64(in);
    try_s64(in);

    // Operands and result of different types.
    int32_t s;
    uint8_t narrow;
    int64_t wide;
    memcpy(&s, in + 4, sizeof s);
    if (__builtin_add_overflow(s, in[0] + 0u, &narrow))
        puts("does not fit a byte");
    else
        printf("fits: %u\n", narrow);
    if (!__builtin_mul_overflow(s, (uint32_t)in[12] << 24, &wide) && wide < 0)
        puts("negative product");
    printf("%u %u\n", overflows, others);
    return overflows == others ? 5 : 0;
}
