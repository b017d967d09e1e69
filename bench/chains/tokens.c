// Reads a length byte and that much text, splits it into tokens, and the goal wants just `IF name < 1337 END`.
//~ STDIN: "\x05x = 1"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096, MAX_TOKENS = 16, MAX_NAME = 12, MAX_NUMBER = 65535 };

enum kind { IF, THEN, END, ID, NUM, OP };

struct token {
    enum kind kind;
    char op;
    unsigned value;
};

struct lexer {
    const unsigned char *at, *end;
    const char *error;
};

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int fail(struct lexer *lexer, const char *why)
{
    lexer->error = why;
    return 0;
}

static int read_number(struct lexer *lexer, struct token *token)
{
    unsigned value = 0;

    while (lexer->at < lexer->end && is_digit(*lexer->at)) {
        value = value * 10 + (unsigned)(*lexer->at++ - '0');
        if (value > MAX_NUMBER)
            return fail(lexer, "number too large");
    }
    if (lexer->at < lexer->end && is_letter(*lexer->at))
        return fail(lexer, "letter after a number");
    token->kind = NUM;
    token->value = value;
    return 1;
}

static int is_word(const unsigned char *start, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(start, word, len) == 0;
}

static int read_word(struct lexer *lexer, struct token *token)
{
    const unsigned char *start = lexer->at;
    size_t len;

    while (lexer->at < lexer->end && (is_letter(*lexer->at) || is_digit(*lexer->at)))
        lexer->at++;
    len = (size_t)(lexer->at - start);
    if (len > MAX_NAME)
        return fail(lexer, "name too long");
    if (is_word(start, len, "IF"))
        token->kind = IF;
    else if (is_word(start, len, "THEN"))
        token->kind = THEN;
    else if (is_word(start, len, "END"))
        token->kind = END;
    else
        token->kind = ID;
    return 1;
}

/* Reads the token at the present place, which is not a space; false for an error. */
static int read_token(struct lexer *lexer, struct token *token)
{
    int c = *lexer->at;

    if (is_digit(c))
        return read_number(lexer, token);
    if (is_letter(c))
        return read_word(lexer, token);
    switch (c) {
    case '<': case '>': case '=': case '+': case '-':
        lexer->at++;
        token->kind = OP;
        token->op = (char)c;
        return 1;
    default:
        return fail(lexer, "unknown character");
    }
}

/* The number of tokens, or -1. */
static int read_tokens(struct lexer *lexer, struct token seq[MAX_TOKENS])
{
    int k = 0;

    for (;;) {
        while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\n'))
            lexer->at++;
        if (lexer->at == lexer->end)
            return k;
        if (k == MAX_TOKENS)
            break;
        if (!read_token(lexer, &seq[k]))
            return -1;
        if (k > 0 && seq[k].kind == OP && seq[k - 1].kind == OP) {
            fail(lexer, "two operators in a row");
            return -1;
        }
        k++;
    }
    fail(lexer, "too many tokens");
    return -1;
}

int main(void)
{
    static unsigned char in[MAX_INPUT];
    struct token seq[MAX_TOKENS] = {{IF, 0, 0}};
    struct lexer lexer = {in, in, NULL};
    size_t n = fread(in, 1, sizeof in, stdin);
    int k;

    if (n == 0 || in[0] != n - 1) {
        fprintf(stderr, "tokens: wrong length\n");
        return 1;
    }
    lexer.at = in + 1;
    lexer.end = in + n;
    k = read_tokens(&lexer, seq);
    if (k < 0) {
        fprintf(stderr, "tokens: %s\n", lexer.error);
        return 1;
    }
    if (k == 5 && seq[0].kind == IF && seq[1].kind == ID && seq[2].kind == OP && seq[2].op == '<'
        && seq[3].kind == NUM && seq[3].value == 1337 && seq[4].kind == END)
        abort(); // the goal
    printf("%d tokens\n", k);
    return 0;
}
