// Inline assembly that reads and writes memory: what it reads is counted as lost, and labels of what it writes are gone.
//~ STDIN: "\x05\x03\x10\x20"
//~ LOSES: asm
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t read_operand(const uint32_t *from)
{
    uint32_t value;
#ifdef __x86_64__
    __asm__("movl %1, %0" : "=r"(value) : "m"(*from));
#else
    value = *from;
#endif
    return value;
}

static void copy(void *to, const void *from, unsigned long n)
{
#ifdef __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
    __builtin_memcpy(to, from, n);
#endif
}

static void zero(uint32_t *to)
{
#ifdef __x86_64__
    __asm__("movl $0, %0" : "=m"(*to));
#else
    *to = 0;
#endif
}

int main(void)
{
    unsigned char in[4] = {0}, copied[4];
    if (read(0, in, sizeof in) < 0)
        return 1;
    uint32_t word = in[0];
    if (read_operand(&word) == 5)
        puts("read");
    copy(copied, in, sizeof copied);
    if (copied[1] == 3)
        puts("copied");
    zero(&word);
    if (word == 0)
        puts("zero");
    // Assembly without text touches nothing.
    uint32_t kept = in[2];
    __asm__("" : "+m"(kept));
    if (kept == 16)
        puts("kept");
    return 0;
}
