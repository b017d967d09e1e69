// The same with string functions that decide at each character: a path for each position at which
// the words can first differ, up to the end of the keyword.
//~ STRATEGY: dfs
//~ STRINGS: branches
//~ PATHS: 5
//~ EXHAUSTED: yes
#include <gimlet.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char word[8] = {0};
    gimlet_symbolic(word, sizeof word - 1, "word");
    if (strcmp(word, "bit") == 0)
        puts("found");
    else
        puts("no tool");
    return 0;
}
