// A getchar loop with ungetc for one character of lookahead: words, numbers
// and the operators < <= << and so on; also getc and fgetc.
//~ STDIN: "a1 <= 22<<b != <x9 ="
#include <stdio.h>

static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

enum token { END, WORD, NUMBER, LESS, LESS_EQUAL, SHIFT, ASSIGN, EQUAL, NOT_EQUAL, OTHER };

static unsigned value;

static enum token next_token(void)
{
    int c = getchar();
    while (c == ' ' || c == '\n')
        c = getc(stdin);
    if (c == EOF)
        return END;
    if (is_letter(c)) {
        while (is_letter(c) || is_digit(c))
            c = getchar();
        ungetc(c, stdin);
        return WORD;
    }
    if (is_digit(c)) {
        value = 0;
        for (; is_digit(c); c = fgetc(stdin))
            value = (value * 10 + (unsigned)(c - '0')) & 0xffff;
        ungetc(c, stdin);
        return NUMBER;
    }
    int second = getchar();
    if (c == '<' && second == '=')
        return LESS_EQUAL;
    if (c == '<' && second == '<')
        return SHIFT;
    if (c == '=' && second == '=')
        return EQUAL;
    if (c == '!' && second == '=')
        return NOT_EQUAL;
    if (second != EOF)
        ungetc(second, stdin);
    return c == '<' ? LESS : c == '=' ? ASSIGN : OTHER;
}

int main(void)
{
    unsigned counts[OTHER + 1] = {0};
    enum token token, previous = END;
    while ((token = next_token()) != END) {
        counts[token]++;
        if (token == WORD && previous == LESS)
            puts("less than a word");
        if (token == NUMBER && value == 77)
            puts("seventy-seven");
        previous = token;
    }
    for (int i = 0; i <= OTHER; i++)
        printf("%u", counts[i]);
    putchar('\n');

    // What is pushed back need not be what was read.
    clearerr(stdin);
    ungetc(counts[WORD] > 2 ? 'w' : 'n', stdin);
    if (getchar() == 'w')
        puts("many words");
    return 0;
}
