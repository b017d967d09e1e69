// Inline assembly: what it computes loses the dependency, what passes by it
// keeps it. (Plain C stands in on machines other than x86-64.)
//~ STDIN: "\x05\x03\x10\x20"
//~ LOSES: asm
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t add(uint32_t a, uint32_t b)
{
#ifdef __x86_64__
    __asm__("addl %1, %0" : "+r"(a) : "r"(b) : "cc");
    return a;
#else
    return a + b;
#endif
}

// Writes through a pointer, so that memory changes behind the compiler.
static void store_twice(uint32_t *to, uint32_t v)
{
#ifdef __x86_64__
    __asm__ volatile("leal (%1,%1), %%eax\n\tmovl %%eax, %0"
                     : "=m"(*to) : "r"(v) : "eax", "memory");
#else
    *to = 2 * v;
#endif
}

static uint32_t opaque(uint32_t v)
{
    __asm__("" : "+r"(v));
    return v;
}

int main(void)
{
    unsigned char in[4] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (in[0] == 5)
        puts("before");
    if (add(in[0], in[1]) == 8)
        puts("added");
    uint32_t word = in[2];
    store_twice(&word, in[0]);
    if (word == 10)
        puts("stored");
    if (opaque(in[2]) == 16)
        puts("opaque");

    // A barrier: nothing passes through it, nothing may be lost.
    unsigned kept = in[3] * 3u;
    __asm__ volatile("" ::: "memory");
    if (kept == 96)
        puts("kept across a barrier");
    if (in[3] > in[2])
        puts("after");
    return 0;
}
