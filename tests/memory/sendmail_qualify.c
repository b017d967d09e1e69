// A host without a domain gets one; strncat is told the size that is left, and writes its terminator after that.
//~ STDIN: "helo gw.lan example.org\n"
//~ FINDS: stack-out-of-bounds qualify
//~ SOLUTION: "helo gw-lan example.org\n"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

__attribute__((noinline)) static void greet(const char *name)
{
    printf("250 hello %s\n", name);
}

static void qualify(const char *host, const char *domain)
{
    char name[16 * SCALE] = "";
    strncat(name, host, sizeof name - 1);
    if (!strchr(host, '.')) {
        strncat(name, ".", sizeof name - strlen(name) - 1);
#ifdef FIXED
        strncat(name, domain, sizeof name - strlen(name) - 1);
#else
        strncat(name, domain, sizeof name - strlen(name)); //~ HERE
#endif
    }
    greet(name);
}

int main(void)
{
    char line[40 * SCALE];
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    char *verb = strtok(line, " \n");
    char *host = strtok(NULL, " \n");
    char *domain = strtok(NULL, " \n");
    if (!verb || !host || !domain || strcmp(verb, "helo") != 0) {
        puts("500");
        return 1;
    }
    qualify(host, domain);
    return 0;
}
