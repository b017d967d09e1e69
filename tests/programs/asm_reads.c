// Inline assembly reads symbolic memory, and nothing else of what it is given is symbolic: counted all the same.
//~ STDIN: "\x05"
//~ LOSES: asm
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    unsigned char in = 0;
    if (read(0, &in, 1) < 0)
        return 1;
    unsigned value;
#ifdef __x86_64__
    __asm__("movzbl %1, %0" : "=r"(value) : "m"(in));
#else
    value = in;
#endif
    if (value == 5)
        puts("five");
    return 0;
}
