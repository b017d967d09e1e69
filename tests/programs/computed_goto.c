// Computed goto (indirectbr): a threaded interpreter whose next instruction
// is chosen by the input, and a label picked by a comparison.
//~ STDIN: "++d+s-m+.!"
#include <stdio.h>
#include <unistd.h>

static unsigned decode(unsigned char c)
{
    static const char mnemonics[] = "+-ds.m !";
    unsigned i = 0;
    while (i < 7 && mnemonics[i] != (char)c)
        i++;
    return i;
}

static int run(const unsigned char *code, int n)
{
    static void *const labels[] = {
        &&add, &&subtract, &&twice, &&square, &&print, &&modulo, &&nothing, &&stop,
    };
    int acc = 0, pc = 0;

#define NEXT                                   \
    do {                                       \
        if (pc >= n)                           \
            goto stop;                         \
        goto *labels[decode(code[pc++])];      \
    } while (0)

    NEXT;
add:
    acc += 1;
    NEXT;
subtract:
    acc -= 1;
    NEXT;
twice:
    acc = acc * 2 % 10000;
    NEXT;
square:
    acc = acc * acc % 1000;
    NEXT;
print:
    printf("%d\n", acc);
    NEXT;
modulo:
    acc %= 7;
    NEXT;
nothing:
    NEXT;
stop:
    return acc;
}

int main(void)
{
    unsigned char in[16] = {0};
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;
    int result = run(in, (int)n);
    void *target = result > 3 ? &&large : &&small;
    if (result == 6)
        target = &&six;
    goto *target;
six:
    puts("six");
large:
    puts("large");
    return 0;
small:
    puts("small");
    return 0;
}
