// A variable of the environment and standard input: both must agree.
//~ ENV GREETING: "hello"
//~ STDIN: "hi"
//~ FINDS: abort greet
//~ SOLUTION $GREETING: "moin"
//~ SOLUTION: "moin"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void greet(const char *wanted, const char *said)
{
    if (strlen(said) == 4 && strcmp(wanted, said) == 0 && said[0] == 'm')
        abort(); //~ HERE
    puts(said);
}

int main(void)
{
    char said[16];
    const char *wanted = getenv("GREETING");
    if (!wanted || strlen(wanted) > 5)
        return 1;
    said[fread(said, 1, sizeof said - 1, stdin)] = '\0';
    greet(wanted, said);
    return 0;
}
