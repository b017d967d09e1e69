# Named sources on the plain build.
cat > named.c <<'EOF'
#include <gimlet.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = 5, y = 6;
    gimlet_symbolic(&x, sizeof x, "x");
    gimlet_symbolic(&y, sizeof y, "x");
    printf("%d %d %d\n", x, y, __VERIFIER_nondet_int());
    gimlet_assume(x != 7);
    gimlet_assert(x != 8);
    return 1;
}
EOF
gimlet-cc named.c -o prog
same "$(fails 1 ./prog)" "5 6 0"
same "$(fails 1 ./prog.plain)" "5 6 0"
printf 'GIMLETPI\1\0\0\0\6\0\0\0x\x2a\0\0\0\1\0\6\0\0\0\4\0\0\0nondet\3\0\0\0' > input
same "$(GIMLET_PLAIN_INPUT=input fails 1 ./prog.plain)" "42 1 3"
printf 'GIMLETPI\1\0\0\0\4\0\0\0x\7\0\0\0' > input
GIMLET_PLAIN_INPUT=input ./prog.plain > /dev/null
printf 'GIMLETPI\1\0\0\0\4\0\0\0x\10\0\0\0' > input
GIMLET_PLAIN_INPUT=input fails 134 ./prog.plain > /dev/null 2>&1
printf 'GIMLETPI\1\0\0' > input
GIMLET_PLAIN_INPUT=input fails 2 ./prog.plain > /dev/null 2>&1
