// The error call of verification tasks, behind a system of equations.
//~ FINDS: unreachable main
//~ SOLUTION nondet: "\x0b\x00\x00\x00\x07\x00\x00\x00\x05\x00\x00\x00"
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0 && x < 1000 && y > 0 && y < 1000 && z > 0 && z < 1000);
    if (x + y + z == 23) {
        if (2 * x - y == 15) {
            if (x * y - z * z == 52)
                reach_error(); //~ HERE
        }
    }
    return 0;
}
