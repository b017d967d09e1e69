// A table of commands searched by strcmp; one handler is missing.
//~ STDIN: "print abc"
//~ FINDS: segv main
//~ SOLUTION: "purge"
//~ QUICK
#include <stdio.h>
#include <string.h>

static int print(const char *arg)
{
    puts(arg);
    return 0;
}

static int count(const char *arg)
{
    printf("%zu\n", strlen(arg));
    return 0;
}

struct command {
    const char *name;
    int (*run)(const char *arg);
};

struct command commands[] = {
    {"print", print},
    {"count", count},
    {"purge", NULL},
};

int main(void)
{
    char text[32];
    size_t len = fread(text, 1, sizeof text - 1, stdin);
    text[len] = '\0';
    char *arg = strchr(text, ' ');
    if (arg)
        *arg++ = '\0';
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(text, commands[i].name) == 0)
            return commands[i].run(arg ? arg : ""); //~ HERE
    puts("no such command");
    return 1;
}
