// A line of a configuration is freed where a relative include is refused, and again at the end of the function.
//~ STDIN: "colour=blue\ninclude=/etc/x\n"
//~ FINDS: double-free load
//~ SOLUTION: "colour=blue\ninclude=.etc/x\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int load(const char *line)
{
    int status = -1;
    char *key = strdup(line);
    if (!key)
        return -1;
    char *value = strchr(key, '=');
    if (!value)
        goto out;
    *value++ = '\0';
    if (strcmp(key, "include") == 0) {
        if (*value != '/') {
            printf("include %s: not an absolute path\n", value);
#ifndef FIXED
            free(key);
#endif
            goto out;
        }
        printf("include %s\n", value);
    } else {
        printf("%s is %s\n", key, value);
    }
    status = 0;
out:
    free(key); //~ HERE
    return status;
}

int main(void)
{
    char text[40];
    int n_bad = 0;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        n_bad += load(line) != 0;
    return n_bad != 0;
}
