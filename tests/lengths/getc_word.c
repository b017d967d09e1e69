// Words are collected one character at a time; the bound of the buffer lets one more in than there is room for.
//~ STDIN: "set color blue\n"
//~ FINDS: global-out-of-bounds next_word
//~ QUICK
//~ TEXT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 400 };

static char word[MAX_WORD];
static int line_number = 1;

// The next word, or 0 at the end. What begins with # is a remark up to the end of the line.
static int next_word(void)
{
    int c = getchar();
    while (c != EOF && (isspace(c) || c == '#')) {
        if (c == '#')
            while (c != EOF && c != '\n')
                c = getchar();
        if (c == '\n')
            line_number++;
        if (c != EOF)
            c = getchar();
    }
    if (c == EOF)
        return 0;
    size_t n = 0;
    while (c != EOF && !isspace(c)) {
#ifdef FIXED
        if (n < MAX_WORD - 1)
#else
        if (n <= MAX_WORD - 1)
#endif
            word[n++] = (char)c;
        c = getchar();
    }
    word[n] = '\0'; //~ HERE
    if (c != EOF)
        ungetc(c, stdin);
    return 1;
}

int main(void)
{
    int n_settings = 0;
    while (next_word()) {
        if (strcmp(word, "set") != 0) {
            printf("line %d: unknown command '%s'\n", line_number, word);
            return 1;
        }
        if (!next_word()) {
            printf("line %d: no name\n", line_number);
            return 1;
        }
        printf("%s = ", word);
        if (!next_word()) {
            printf("?\nline %d: no value\n", line_number);
            return 1;
        }
        printf("%s\n", word);
        n_settings++;
    }
    printf("%d settings\n", n_settings);
    return 0;
}
