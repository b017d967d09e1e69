// longjmp out of nested frames that have variables: those of the function that is returned to are still known, and those
// of the frames that were left are not.
//~ STDIN: "cq!b"
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

static jmp_buf handler;

static __attribute__((noinline)) int look(const unsigned char *table, unsigned char at)
{
    return table[at & 7];
}

static __attribute__((noinline)) int descend(const unsigned char *in, int depth)
{
    unsigned char table[8];
    for (int i = 0; i < 8; i++)
        table[i] = (unsigned char)(7 * i + depth);
    if (depth > 0)
        return descend(in, depth - 1) + look(table, in[1]);
    if (in[0] > 'b')
        longjmp(handler, 1);
    return look(table, in[0]);
}

int main(void)
{
    unsigned char in[4] = {0};
    unsigned char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    volatile int round = 0;
    volatile int sum = 0;
    if (read(0, in, sizeof in) < 0)
        return 1;
    for (round = 0; round < 4; round++) {
        switch (setjmp(handler)) {
        case 0:
            sum += descend(in + (round & 1), round);
            break;
        default:
            sum += 100;
        }
        int found = look(table, in[round]);
        if (found == 9)
            printf("nine in round %d\n", round);
    }
    if (sum > 300)
        puts("thrown often");
    printf("%d\n", sum);
    return 0;
}
