// A calculator in reverse Polish notation: the stack is checked, a quotient is not.
//~ STDIN: "12+3*"
//~ MAX-LEN: 16
//~ FINDS: division-by-zero operate
//~ SOLUTION: "344-/"
#include <stdio.h>

static int stack[16];
static int depth;

static int operate(char operator, int left, int right)
{
    switch (operator) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return (short)((long)left * right);
    default: return left / right; //~ HERE
    }
}

static int step(char c)
{
    if (c >= '1' && c <= '9') {
        if (depth == 16)
            return 0;
        stack[depth++] = c - '0';
        return 1;
    }
    if (c != '+' && c != '-' && c != '*' && c != '/')
        return 0;
    if (depth < 2)
        return 0;
    depth--;
    stack[depth - 1] = operate(c, stack[depth - 1], stack[depth]);
    return 1;
}

int main(void)
{
    int c;
    while ((c = getchar()) != EOF && c != '\n')
        if (!step((char)c)) {
            puts("syntax error");
            return 1;
        }
    printf("%d\n", depth == 1 ? stack[0] : 0);
    return 0;
}
