// A cache keeps the first eight characters of each key in eight bytes of the heap, and labels its entries with them.
//~ STDIN: "put alpha 1\nput be_gamma 2\n"
//~ FINDS: unterminated-string label
//~ SOLUTION: "put alpha 1\nhot be_gamma 2\n"
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { KEY = 8 * SCALE };

static char *make_key(const char *word)
{
    size_t len = strlen(word);
#ifdef FIXED
    char *key = calloc(1, KEY + 1);
#else
    char *key = calloc(1, KEY);
#endif
    if (!key)
        exit(1);
    memcpy(key, word, len < KEY ? len : KEY);
    return key;
}

__attribute__((noinline)) static void label(const char *key)
{
    char text[32 * SCALE] = "hot: ";
    strcpy(text + 5, key); //~ HERE
    puts(text);
}

int main(void)
{
    char text[40 * SCALE], verb[8], word[40 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (sscanf(line, "%7s %s", verb, word) != 2)
            continue;
        char *key = make_key(word);
        if (strcmp(verb, "hot") == 0)
            label(key);
        else if (strcmp(verb, "put") == 0)
            printf("stored under %c\n", key[0]);
        free(key);
    }
    return 0;
}
