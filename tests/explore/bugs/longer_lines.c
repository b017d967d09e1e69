// Given is one line; the bug is in the handling of the fourth.
//~ STDIN: "a\n"
//~ MAX-LEN: 32
//~ FINDS: abort finish
//~ SOLUTION: "a\nb\nc\nd\n"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>

static void finish(int n_lines, int n_empty)
{
    if (n_lines == 4 && n_empty == 0)
        abort(); //~ HERE
    printf("%d lines, %d empty\n", n_lines, n_empty);
}

int main(void)
{
    int n_lines = 0, n_empty = 0, length = 0, c;
    while ((c = getchar()) != EOF) {
        if (c != '\n') {
            length++;
            continue;
        }
        n_lines++;
        n_empty += length == 0;
        length = 0;
    }
    finish(n_lines, n_empty);
    return 0;
}
