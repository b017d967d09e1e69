// setjmp and longjmp: input-dependent values thrown from nested calls, kept
// in volatile locals across the jump, retried, and rethrown.
//~ STDIN: "k3e7x9--"
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

static jmp_buf handler;
static jmp_buf outer;
static int reason;

static __attribute__((noreturn, noinline)) void fail(int code)
{
    reason = code * 2;
    longjmp(handler, code);
}

static __attribute__((noinline)) int digit(unsigned char c)
{
    if (c < '0')
        fail(1);
    if (c > '9')
        fail(c == 'x' ? 42 : 2);
    return c - '0';
}

static int two_digits(const unsigned char *p)
{
    return digit(p[0]) * 10 + digit(p[1]);
}

static __attribute__((noinline)) int guarded(const unsigned char *p, int base)
{
    volatile int progress = base;
    switch (setjmp(handler)) {
    case 0:
        progress += 1;
        return progress + two_digits(p);
    case 1:
        return -progress - 1;
    case 42:
        longjmp(outer, progress);
    default:
        return -reason - progress;
    }
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    volatile int position = 0;
    volatile int total = 0;
    if (setjmp(outer) > 0) {
        printf("thrown at %d\n", position);
        total += 1000;
        position++;
    }
    // in[7] is not the start of a pair.
    while (position < 7) {
        int v = guarded(in + position, in[position] & 15);
        if (v > 0)
            total += v;
        else if (v == -6)
            puts("six");
        position++;
    }
    if (total > 1000)
        puts("the outer handler was used");
    if (total % 10 == 7)
        puts("seven");

    // The smallest loop there is: longjmp until the value reaches a bound.
    volatile unsigned tries = 0;
    switch (setjmp(handler)) {
    case 0: break;
    case 3: puts("three tries"); break;
    }
    if (tries < (in[0] & 3u))
        longjmp(handler, (int)++tries);
    printf("%d %u\n", total, tries);
    return 0;
}
