// Short-circuit chains of && and ||, negated, mixed, with calls that have
// side effects, and De Morgan pairs.
//~ STDIN: "AB12cd--"
#include <stdio.h>
#include <unistd.h>

static int calls;

static int is_upper(int c)
{
    calls++;
    return c >= 'A' && c <= 'Z';
}

static int is_word(int c)
{
    calls++;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (is_upper(in[0]) && is_upper(in[1]) && !is_upper(in[2]))
        puts("two capitals");
    if (!is_word(in[6]) || is_word(in[7]))
        puts("not a word");
    if ((in[2] == '1' || in[2] == '3') && (in[3] == '2' || in[3] == '4') &&
        !(in[4] == 'x' || in[5] == 'y'))
        puts("digits");
    if (!(in[0] == 'A' && in[1] == 'B') != (in[0] != 'A' || in[1] != 'B'))
        puts("never");
    if (in[0] > 'Q' && in[0] < 'T' && (in[1] ^ in[0]) == 1)
        puts("neighbours");

    // The value of a chain, kept and used later.
    int all = in[0] < in[1] && in[1] < in[4] && in[4] < in[5];
    int any = in[0] == 'z' || in[1] == 'z' || in[5] == 'z';
    if (all && !any)
        puts("ordered");
    if (all ^ (in[6] == in[7]))
        puts("differ");

    // The right-hand side is safe only behind the left-hand side.
    unsigned divisor = in[6] - (unsigned)'-';
    if (divisor != 0 && 100 / divisor == 20)
        puts("quotient");
    while (calls < 20 && is_word(in[calls & 7]) && calls != 15)
        ;
    printf("%d calls\n", calls);
    return 0;
}
