// Environment variables as input: getenv, a walk over environ, setenv, names made of input.
//~ ENV APP_MODE: "fast"
//~ ENV APP_LIMIT: "25"
//~ ENV APP_EMPTY: ""
//~ STDIN: "M"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(void)
{
    const char *mode = getenv("APP_MODE"), *limit = secure_getenv("APP_LIMIT"), *empty = getenv("APP_EMPTY");
    if (!mode || !limit || !empty || empty[0] || getenv("APP_NOTHING"))
        return 1;
    if (strcmp(mode, "slow") == 0)
        puts("slow");
    else if (mode[0] == 'f')
        puts("something with f");
    int value = 0;
    for (; *limit >= '0' && *limit <= '9'; limit++)
        value = value * 10 + (*limit - '0');
    if (value > 30)
        puts("over thirty");
    for (char **at = environ; *at; at++)
        if (strncmp(*at, "APP_MODE=", 9) == 0 && (*at)[12] == 't')
            puts("ends in t");
    setenv("APP_COPY", mode, 1);
    if (getenv("APP_COPY")[1] == 'a')
        puts("a copy");
    char name[] = "APP_MODE";
    name[4] = (char)getchar();
    puts(getenv(name) ? "by name" : "no such name");
    return 0;
}
