// Nested lists, read by recursion: four levels and something in the innermost.
//~ STDIN: "(a)"
//~ MAX-LEN: 24
//~ FINDS: abort list
//~ SOLUTION: "((a(b(!))))"
#include <stdio.h>
#include <stdlib.h>

static char text[32];
static int at;

static int list(int depth)
{
    int n_items = 0;
    for (;;) {
        char c = text[at];
        if (c == '\0')
            return -1;
        at++;
        if (c == ')')
            return n_items;
        if (c == '(') {
            if (depth == 8 || list(depth + 1) < 0)
                return -1;
        } else if (c == '!' && depth == 4) {
            abort(); //~ HERE
        }
        n_items++;
    }
}

int main(void)
{
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (text[at++] != '(') {
        puts("no list");
        return 1;
    }
    printf("%d items\n", list(1));
    return 0;
}
