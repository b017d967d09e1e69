// The functions of Test-Comp programs: nondeterministic values of all kinds in
// the order of the calls, an assumption, and an error that is not reached.
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x < 1000);
    unsigned steps = 0;
    while (__VERIFIER_nondet_bool() && steps < 4)
        steps++;
    if (__VERIFIER_nondet_bool())
        steps += 10;
    if (__VERIFIER_nondet_char() == 'x' || __VERIFIER_nondet_uchar() > 200)
        steps += 20;
    int sum = __VERIFIER_nondet_short() + __VERIFIER_nondet_ushort();
    if (sum == 4711 && x == 17)
        reach_error();
    if (__VERIFIER_nondet_long() < -5 || __VERIFIER_nondet_ulong() >> 40 == 3)
        puts("far");
    if (__VERIFIER_nondet_uint() % 7 == 3)
        puts("three");
    printf("%u\n", steps);
    return 0;
}
