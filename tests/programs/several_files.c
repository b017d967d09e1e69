// A dictionary and a text, each a file of its own, and one more word from standard input.
//~ ARGS: -d @words@ @@ --more=@more@
//~ FILE: "red green"
//~ FILE words: "red\nblue\n"
//~ FILE more: "k"
//~ STDIN: "x"
#include <stdio.h>
#include <string.h>

static char words[4][8];
static int n_words;

static FILE *open_or_die(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        puts("missing");
    return f;
}

int main(int argc, char **argv)
{
    if (argc != 5 || strncmp(argv[4], "--more=", 7) != 0)
        return 1;
    FILE *f = open_or_die(argv[2]), *text = open_or_die(argv[3]), *more = open_or_die(argv[4] + 7);
    if (!f || !text || !more)
        return 2;
    char line[8];
    while (n_words < 4 && fgets(line, sizeof line, f)) {
        for (char *p = line; *p; p++)
            if (*p == '\n')
                *p = 0;
        memcpy(words[n_words++], line, sizeof line);
    }
    int c, len = 0, found = 0;
    char word[8] = {0};
    do {
        c = getc(text);
        if (c == ' ' || c == EOF) {
            word[len] = 0;
            for (int i = 0; i < n_words; i++)
                found += strcmp(word, words[i]) == 0;
            len = 0;
        } else if (len < 7) {
            word[len++] = (char)c;
        }
    } while (c != EOF);
    printf("%d of %d\n", found, n_words);
    if (getc(more) == getchar())
        puts("both the same");
    return 0;
}
