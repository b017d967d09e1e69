// Macros with names from a to d have a text each; an alias takes the text of another one, and both are freed at the end.
//~ STDIN: "=ahello;!a=bworld;"
//~ FINDS: double-free clear
//~ SOLUTION: "=ahello;@ba;world;"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *macros[4];

static int macro_of(char name)
{
    return name >= 'a' && name <= 'd' ? name - 'a' : -1;
}

__attribute__((noinline)) static void clear(int macro)
{
    free(macros[macro]); //~ HERE
    macros[macro] = NULL;
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        exit(1);
    return copy;
}

static void alias(int macro, int from)
{
    if (!macros[from] || macro == from)
        return;
    clear(macro);
#ifdef FIXED
    macros[macro] = copy_of(macros[from]);
#else
    macros[macro] = macros[from];
#endif
}

static void statement(const char *text)
{
    int macro = macro_of(text[1]);
    if (macro < 0)
        return;
    if (text[0] == '=') {
        clear(macro);
        macros[macro] = copy_of(text + 2);
    } else if (text[0] == '@' && macro_of(text[2]) >= 0) {
        alias(macro, macro_of(text[2]));
    } else if (text[0] == '!') {
        puts(macros[macro] ? "defined" : "not defined");
    }
}

int main(void)
{
    char text[32];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *part = strtok(text, ";"); part; part = strtok(NULL, ";"))
        statement(part);
    for (int i = 0; i < 4; i++)
        clear(i);
    return 0;
}
