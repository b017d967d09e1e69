// Settings are read with sscanf, whose string has no width.
//~ STDIN: "get host\nset host = a b c d e f g\n"
//~ FINDS: stack-out-of-bounds set
//~ SOLUTION: "get host\nset host = abbccddeeffgg\n"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

static char host[16 * SCALE] = "localhost";

static int store(const char *key, const char *value)
{
    if (strcmp(key, "host") != 0 || strlen(value) >= sizeof host)
        return -1;
    strcpy(host, value);
    return 0;
}

static int set(const char *rest)
{
    char key[8], value[12 * SCALE];
#ifdef FIXED
    if (sscanf(rest, "%7[a-z] = %11s", key, value) != 2)
        return -1;
#else
    if (sscanf(rest, "%7[a-z] = %s", key, value) != 2) //~ HERE
        return -1;
#endif
    return store(key, value);
}

int main(void)
{
    char text[64 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "set ", 4) == 0) {
            if (set(line + 4) != 0)
                puts("bad setting");
        } else if (strncmp(line, "get ", 4) == 0) {
            puts(host);
        }
    }
    return 0;
}
