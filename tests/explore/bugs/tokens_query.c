// Words split by strtok and turned into tokens: a query that selects from nothing.
//~ STDIN: "select a from b"
//~ MAX-LEN: 40
//~ FINDS: assertion run
//~ SOLUTION: "select all from x where not y"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum token { SELECT, ALL, FROM, WHERE, NOT, NAME };

static enum token classify(const char *word)
{
    static const char *const words[] = {"select", "all", "from", "where", "not"};
    for (int i = 0; i < NAME; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum token)i;
    return NAME;
}

static void run(const enum token *tokens, int n_tokens)
{
    int is_query = n_tokens >= 4 && tokens[0] == SELECT && tokens[2] == FROM && tokens[3] == NAME;
    if (!is_query) {
        puts("no query");
        return;
    }
    int has_filter = n_tokens >= 6 && tokens[4] == WHERE;
    if (has_filter && tokens[1] == ALL && tokens[5] == NOT)
        assert(n_tokens < 7 || tokens[6] != NAME); //~ HERE
    puts(has_filter ? "filtered" : "all rows");
}

int main(void)
{
    char line[64];
    enum token tokens[8];
    int n_tokens = 0;
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    for (char *word = strtok(line, " \n"); word && n_tokens < 8; word = strtok(NULL, " \n"))
        tokens[n_tokens++] = classify(word);
    run(tokens, n_tokens);
    return 0;
}
