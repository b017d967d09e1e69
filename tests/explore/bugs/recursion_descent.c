// An expression evaluated by recursive descent; a result of 1234 is not printed.
//~ STDIN: "1+2*3"
//~ MAX-LEN: 20
//~ FINDS: assertion main
//~ SOLUTION: "1000+(2*117)"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>

static char text[32];
static const char *at = text;
static int is_bad;

static unsigned sum(void);

static unsigned factor(void)
{
    unsigned value = 0;
    if (*at == '(') {
        at++;
        value = sum();
        if (*at == ')')
            at++;
        else
            is_bad = 1;
        return value;
    }
    if (!isdigit((unsigned char)*at))
        is_bad = 1;
    while (isdigit((unsigned char)*at))
        value = value * 10 + (unsigned)(*at++ - '0');
    return value;
}

static unsigned product(void)
{
    unsigned value = factor();
    while (!is_bad && *at == '*') {
        at++;
        value *= factor();
    }
    return value;
}

static unsigned sum(void)
{
    unsigned value = product();
    while (!is_bad && *at == '+') {
        at++;
        value += product();
    }
    return value;
}

int main(void)
{
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    unsigned value = sum();
    if (is_bad || *at) {
        puts("syntax error");
        return 1;
    }
    assert(value != 1234); //~ HERE
    printf("%u\n", value);
    return 0;
}
