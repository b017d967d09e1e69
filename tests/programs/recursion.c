// Recursion and mutual recursion with input-dependent arguments, depth and
// results.
//~ STDIN: "\x06\x09(()(()))abcba"
#include <stdio.h>
#include <unistd.h>

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int palindrome(const unsigned char *p, int n)
{
    return n < 2 || (p[0] == p[n - 1] && palindrome(p + 1, n - 2));
}

// Balanced brackets: returns the position behind them, or -1.
static int group(const unsigned char *p, int at, int end);

static int groups(const unsigned char *p, int at, int end)
{
    while (at >= 0 && at < end && p[at] == '(')
        at = group(p, at, end);
    return at;
}

static int group(const unsigned char *p, int at, int end)
{
    at = groups(p, at + 1, end);
    if (at < 0 || at >= end || p[at] != ')')
        return -1;
    return at + 1;
}

int main(void)
{
    unsigned char in[15] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    if (fibonacci(in[0] & 7) == 13)
        puts("thirteen");
    if (ackermann(in[0] & 1, in[1] & 3) + ackermann(2, in[1] & 1) == 7)
        puts("ackermann");
    if (is_odd(in[1] & 31))
        puts("odd");
    if (groups(in, 2, 10) == 10)
        puts("balanced");
    if (palindrome(in + 10, 5))
        puts("palindrome");
    if (palindrome(in + 2, 8))
        puts("palindromic brackets");
    return 0;
}
