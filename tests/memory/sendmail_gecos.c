// The full name of a user, where an ampersand stands for the login; room is made for the text as it is written.
//~ STDIN: "root:Charlie Root\n"
//~ FINDS: stack-out-of-bounds full_name
//~ SOLUTION: "root:Charlie&Root\n"
//~ TEXT
#include <alloca.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

__attribute__((noinline)) static void show(const char *login, const char *name)
{
    printf("%s is %s\n", login, name);
}

static void full_name(const char *login, const char *gecos)
{
    size_t size = strlen(gecos) + 1;
#ifdef FIXED
    for (const char *c = gecos; *c; c++)
        if (*c == '&')
            size += strlen(login);
#endif
    char *name = alloca(size);
    char *end = name;
    for (; *gecos && *gecos != ','; gecos++) {
        if (*gecos != '&') {
            *end++ = *gecos; //~ HERE
            continue;
        }
        for (const char *c = login; *c; c++)
            *end++ = c == login ? (char)toupper((unsigned char)*c) : *c; //~ HERE
    }
    *end = '\0'; //~ HERE
    show(login, name);
}

int main(void)
{
    char line[40 * SCALE];
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *gecos = strchr(line, ':');
    if (!gecos)
        return 1;
    *gecos++ = '\0';
    full_name(line, gecos);
    return 0;
}
