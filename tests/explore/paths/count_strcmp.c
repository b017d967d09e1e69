// A comparison with a keyword is one branch: 2 paths, and one more for a second keyword.
//~ STRATEGY: dfs
//~ PATHS: 3
//~ TESTS: 3
//~ EXHAUSTED: yes
#include <gimlet.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char word[8] = {0};
    gimlet_symbolic(word, sizeof word - 1, "word");
    if (strcmp(word, "gimlet") == 0)
        puts("found");
    else if (strcmp(word, "auger") == 0)
        puts("nearly");
    else
        puts("no tool");
    return 0;
}
