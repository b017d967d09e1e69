// A hand-written tokenizer, and a statement of a certain shape behind it.
//~ STDIN: "x = 1"
//~ MAX-LEN: 32
//~ FINDS: abort statement
//~ SOLUTION: "let (a)=42;"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token { END, LET, NAME, NUMBER, EQUALS, OPEN, CLOSE, SEMICOLON, BAD };

static char text[64];
static const char *at = text;
static int number;

static enum token next(void)
{
    while (isspace((unsigned char)*at))
        at++;
    if (*at == '\0')
        return END;
    if (isdigit((unsigned char)*at)) {
        for (number = 0; isdigit((unsigned char)*at); at++)
            number = (number * 10 + (*at - '0')) % 10000;
        return NUMBER;
    }
    if (isalpha((unsigned char)*at)) {
        const char *start = at;
        while (isalnum((unsigned char)*at))
            at++;
        return at - start == 3 && memcmp(start, "let", 3) == 0 ? LET : NAME;
    }
    switch (*at++) {
    case '=': return EQUALS;
    case '(': return OPEN;
    case ')': return CLOSE;
    case ';': return SEMICOLON;
    default: return BAD;
    }
}

static int statement(void)
{
    static const enum token shape[] = {LET, OPEN, NAME, CLOSE, EQUALS, NUMBER, SEMICOLON, END};
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        if (next() != shape[i]) {
            printf("token %zu is wrong\n", i);
            return 1;
        }
    if (number == 42)
        abort(); //~ HERE
    puts("assigned");
    return 0;
}

int main(void)
{
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    return statement();
}
