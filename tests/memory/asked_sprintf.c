// The name of whoever logs in is put behind a word, and the word is forgotten in the limit.
//~ STDIN: "login:abc\n"
//~ FINDS: stack-out-of-bounds greet
//~ SOLUTION: "login:abcdefabcdefabcdefabcd\n"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

__attribute__((noinline)) static void greet(const char *who)
{
    char name[24 * SCALE];
#ifdef FIXED
    if (strlen(who) + strlen("user ") >= sizeof name)
        return;
#else
    if (strlen(who) >= sizeof name)
        return;
#endif
    sprintf(name, "user %s", who); //~ HERE
    puts(name);
}

int main(void)
{
    char line[64 * SCALE];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "login:", 6) != 0)
        return 1;
    for (const char *at = line + 6; *at; at++)
        if (*at < 'a' || *at > 'f')
            return 1;
    greet(line + 6);
    return 0;
}
