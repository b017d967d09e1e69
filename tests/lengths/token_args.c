// A shell divides a line into words, and keeps each in a slot of its own; only the name of the command is measured.
//~ STDIN: "ls -l /tmp\n"
//~ FINDS: heap-out-of-bounds split
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 8, MAX_WORD = 128 };

static char *words[MAX_WORDS];
static int n_words;

static void forget(void)
{
    while (n_words > 0)
        free(words[--n_words]);
}

static int split(char *line)
{
    for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n")) {
        if (n_words == MAX_WORDS)
            return -1;
#ifdef FIXED
        if (strlen(word) >= MAX_WORD)
            return -1;
#else
        if (n_words == 0 && strlen(word) >= MAX_WORD)
            return -1;
#endif
        char *slot = malloc(MAX_WORD);
        if (!slot)
            return -1;
        words[n_words++] = slot;
        strcpy(slot, word); //~ HERE
    }
    return 0;
}

static int execute(void)
{
    if (strcmp(words[0], "exit") == 0)
        return 1;
    if (strcmp(words[0], "echo") == 0) {
        for (int i = 1; i < n_words; i++)
            printf("%s%c", words[i], i + 1 < n_words ? ' ' : '\n');
        return 0;
    }
    printf("%s: %d arguments\n", words[0], n_words - 1);
    return 0;
}

int main(void)
{
    char line[1024];
    int is_over = 0;
    while (!is_over && fgets(line, sizeof line, stdin)) {
        if (split(line) != 0)
            puts("syntax error");
        else if (n_words > 0)
            is_over = execute();
        forget();
    }
    return 0;
}
