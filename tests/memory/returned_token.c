// A tokenizer hands out pointers into its text; a token with an escape points to a buffer in the tokenizer's frame.
//~ STDIN: "let a_bc = d"
//~ FINDS: use-after-return is_keyword
//~ SOLUTION: "let a\\bc = d"
#include <stdio.h>
#include <string.h>

enum { MAX_TOKEN = 12 };

struct token {
    const char *text;
    size_t len;
    char unescaped[MAX_TOKEN];
};

__attribute__((noinline)) static int next_token(struct token *token, const char **cursor)
{
#ifdef FIXED
    char *unescaped = token->unescaped;
#else
    char unescaped[MAX_TOKEN];
#endif
    int has_escape = 0;
    size_t n = 0;
    *cursor += strspn(*cursor, " ");
    const char *start = *cursor;
    while (**cursor && **cursor != ' ' && n < MAX_TOKEN) {
        if (**cursor == '\\' && (*cursor)[1]) {
            has_escape = 1;
            ++*cursor;
        }
        unescaped[n++] = *(*cursor)++;
    }
    token->text = has_escape ? unescaped : start;
    token->len = n;
    return n > 0;
}

__attribute__((noinline)) static int is_keyword(const struct token *token)
{
    return token->len == 3 && token->text[0] == 'l' && token->text[1] == 'e' && token->text[2] == 't'; //~ HERE
}

int main(void)
{
    char text[24];
    const char *cursor = text;
    struct token token;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    while (next_token(&token, &cursor))
        printf("%zu%s\n", token.len, is_keyword(&token) ? ", a keyword" : "");
    return 0;
}
