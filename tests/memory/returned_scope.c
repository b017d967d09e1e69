// Nested blocks are linked through the frames of their parser; after an error it does not go back to the outer one.
//~ STDIN: "x{a{b}c}"
//~ FINDS: use-after-return backtrace
//~ SOLUTION: "x{a{?}c}"
#include <stdio.h>

enum { MAX_DEPTH = 8 };

struct scope {
    struct scope *outer;
    char last;
};

static struct scope *current;

/* 0 at the end of a block, -1 after an error. */
__attribute__((noinline)) static int block(const char **text, int depth)
{
    struct scope scope = {current, '-'};
    if (depth == MAX_DEPTH)
        return -1;
    current = &scope;
    for (; **text && **text != '}'; ++*text) {
        int is_bad = **text == '?';
        if (**text == '{') {
            ++*text;
            is_bad = block(text, depth + 1) != 0;
        }
        if (is_bad) {
#ifdef FIXED
            current = scope.outer;
#endif
            return -1;
        }
        if (!**text)
            break;
        scope.last = **text;
    }
    current = scope.outer;
    return 0;
}

__attribute__((noinline)) static void backtrace(void)
{
    struct scope *scope = current;
    for (int depth = 0; scope && depth <= MAX_DEPTH; depth++) {
        printf("after %c\n", scope->last); //~ HERE
        scope = scope->outer;
    }
}

int main(void)
{
    char text[24];
    const char *cursor = text;
    struct scope top = {NULL, '.'};
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    current = &top;
    if (block(&cursor, 0) != 0)
        backtrace();
    printf("%td\n", cursor - text);
    return 0;
}
