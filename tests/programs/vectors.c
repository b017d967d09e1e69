// Vector types (vector_size): element-wise arithmetic, comparison and shuffle
// lose the dependency; elements that never meet a vector do not.
//~ STDIN: "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x0a"
//~ LOSES: vector
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef uint32_t v4u32 __attribute__((vector_size(16)));
typedef int32_t v4s32 __attribute__((vector_size(16)));
typedef uint8_t v16u8 __attribute__((vector_size(16)));

static __attribute__((noinline)) v4u32 scale(v4u32 v, uint32_t by)
{
    return v * by + (v4u32){1, 2, 3, 4};
}

int main(void)
{
    unsigned char in[17] = {0};
    v4u32 a;
    v16u8 bytes;
    if (read(0, in, sizeof in) < 0)
        return 1;
    if (in[0] == 1)
        puts("scalar before");
    memcpy(&a, in, sizeof a);
    memcpy(&bytes, in, sizeof bytes);

    v4u32 b = scale(a, in[16]);
    if (b[0] == 11)
        puts("first element");
    if (b[3] > 40)
        puts("last element");
    v4s32 less = a < b;
    if (less[1] == -1)
        puts("compared");
    v4u32 reversed = __builtin_shufflevector(a, a, 3, 2, 1, 0);
    if (reversed[0] == 4)
        puts("shuffled");
    uint32_t sum = __builtin_reduce_add(a);
    if (sum == 10)
        puts("reduced");
    b[in[16] & 3] = 7;
    if (b[2] == 7)
        puts("inserted");
    v16u8 doubled = bytes + bytes;
    if (doubled[8] == 6)
        puts("bytes");

    // The bytes of the result, through memory.
    unsigned char out[sizeof b];
    memcpy(out, &b, sizeof out);
    if (out[4] == 22)
        puts("through memory");
    if (in[16] > 5)
        puts("scalar after");
    printf("%u\n", (unsigned)sum);
    return 0;
}
