// Given is nothing at all; a name of exactly fifteen letters fills the buffer up to its end.
//~ STDIN: ""
//~ MAX-LEN: 40
//~ FINDS: abort greet
//~ SOLUTION: "abcdefghijklmno\n"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void greet(const char *name)
{
    if (strlen(name) == 15)
        abort(); //~ HERE
    printf("hello %s\n", name);
}

int main(void)
{
    char name[32];
    if (!fgets(name, sizeof name, stdin)) {
        puts("nobody there");
        return 1;
    }
    name[strcspn(name, "\n")] = '\0';
    for (const char *c = name; *c; c++)
        if (!isalpha((unsigned char)*c)) {
            puts("no name");
            return 1;
        }
    greet(name);
    return 0;
}
