// A protocol of commands on lines: login, then select, then drop.
//~ STDIN: "help\nquit\n"
//~ MAX-LEN: 64
//~ FINDS: abort drop
//~ SOLUTION: "login\nselect\ndrop\n"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int line(char *word, int size)
{
    if (!fgets(word, size, stdin))
        return 0;
    word[strcspn(word, "\n")] = '\0';
    return 1;
}

static void drop(void)
{
    puts("dropping");
    fflush(stdout);
    abort(); //~ HERE
}

int main(void)
{
    char word[16];
    if (!line(word, sizeof word) || strcmp(word, "login") != 0) {
        puts("log in first");
        return 1;
    }
    if (!line(word, sizeof word) || strcmp(word, "select") != 0) {
        puts("nothing selected");
        return 1;
    }
    while (line(word, sizeof word)) {
        if (strcmp(word, "drop") == 0)
            drop();
        if (strcmp(word, "quit") == 0)
            break;
    }
    return 0;
}
