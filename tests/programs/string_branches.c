// String functions that decide by branches: each of them can be flipped.
//~ STDIN: "key=Val;\0kez"
//~ STRINGS: branches
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int main(void)
{
    char in[13] = {0}, copy[13] = "";
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    if (strlen(in) == 8)
        puts("eight");
    if (strcmp(in, "key") > 0)
        puts("after");
    if (strncmp(in, in + 9, 3) < 0)
        puts("before");
    if (strcasecmp(in + 9, "KEY"))
        puts("not a key");
    if (memcmp(in, in + 9, 2) == 0)
        puts("equal");
    if (strchr(in, '=') == in + 3)
        puts("sign");
    if (strrchr(in, 'e') == in + 1)
        puts("e");
    if (strstr(in, "Val"))
        puts("value");
    if (strspn(in, "abcdefghijklmnopqrstuvwxyz") == 3)
        puts("small letters");
    if (strpbrk(in, ";,"))
        puts("end");
    if (memchr(in, 'z', 12))
        puts("z");
    strcpy(copy, in + 9);
    strncat(copy, in, 2);
    if (copy[3] == 'k')
        puts("copied");
    char *part = strdup(in);
    if (part && strtok(part, "=;"))
        puts(strtok(NULL, "=;") ? "two" : "one");
    free(part);
    return 0;
}
