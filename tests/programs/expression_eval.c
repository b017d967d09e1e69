// A hand-written tokenizer and recursive-descent evaluator of arithmetic
// expressions, with bounded depth and without overflow or division by zero.
//~ STDIN: "2*(3+4)-10/(5-x)%3"
#include <stdio.h>
#include <unistd.h>

enum kind { NUMBER, VARIABLE, OPERATOR, END };

static const unsigned char *at, *end;
static enum kind kind;
static int value, failed;
static char symbol;  // of the operator at hand, or 0

static void advance(void)
{
    while (at < end && *at == ' ')
        at++;
    symbol = 0;
    if (at == end) {
        kind = END;
    } else if (*at >= '0' && *at <= '9') {
        kind = NUMBER;
        for (value = 0; at < end && *at >= '0' && *at <= '9'; at++)
            value = (value * 10 + (*at - '0')) % 10000;
    } else if (*at == 'x' || *at == 'y') {
        kind = VARIABLE;
        value = *at++ == 'x' ? 3 : -8;
    } else {
        kind = OPERATOR;
        symbol = (char)*at++;
    }
}

static int sum(int depth);

static int primary(int depth)
{
    int v = 0;
    if (depth > 10) {
        failed = 2;
    } else if (kind == NUMBER || kind == VARIABLE) {
        v = value;
        advance();
    } else if (symbol == '-') {
        advance();
        v = -primary(depth + 1);
    } else {
        int open = symbol == '(';
        advance();
        v = open ? sum(depth + 1) : 0;
        if (!failed && (!open || symbol != ')'))
            failed = 1;
        advance();
    }
    return v;
}

static int product(int depth)
{
    int v = primary(depth);
    while (!failed && (symbol == '*' || symbol == '/' || symbol == '%')) {
        char operator = symbol;
        advance();
        int right = primary(depth);
        if (operator == '*')
            v = v * right % 10000;
        else if (right == 0)
            failed = 3;
        else
            v = operator == '/' ? v / right : v % right;
    }
    return v;
}

static int sum(int depth)
{
    int v = product(depth);
    while (!failed && (symbol == '+' || symbol == '-')) {
        int sign = symbol == '+' ? 1 : -1;
        advance();
        v = (v + sign * product(depth)) % 10000;
    }
    return v;
}

int main(void)
{
    unsigned char in[32];
    ssize_t n = read(0, in, sizeof in);
    at = in;
    end = in + (n > 0 ? n : 0);
    advance();
    int v = sum(0);
    if (failed || kind != END)
        return failed ? 10 + failed : 1;
    if (v == 42)
        puts("the answer");
    printf("%d\n", v);
    return 0;
}
