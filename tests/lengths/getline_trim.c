// Headers of any length are read and trimmed; what one kind of them says is copied to the stack before it is counted.
//~ STDIN: "X-Mailer: mutt  \nSubject: none\n"
//~ FINDS: stack-out-of-bounds long_value
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUE = 1000 };

static void trim(char *line)
{
    char *end = strrchr(line, '\n');
    if (end)
        *end = '\0';
    end = line + strlen(line);
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        *--end = '\0';
}

static size_t long_value(const char *value)
{
    char copy[MAX_VALUE];
    size_t n_parts = 0;
    while (*value == ' ')
        value++;
#ifdef FIXED
    if (strlen(value) >= sizeof copy)
        return 0;
#endif
    strcpy(copy, value); //~ HERE
    for (char *part = strtok(copy, ";"); part; part = strtok(NULL, ";"))
        n_parts++;
    return n_parts;
}

static void header(const char *line)
{
    static const char tag[] = "X-Long:";
    if (strncmp(line, tag, sizeof tag - 1) == 0) {
        printf("%zu parts\n", long_value(line + sizeof tag - 1));
        return;
    }
    const char *colon = strchr(line, ':');
    if (!colon) {
        puts("no header");
        return;
    }
    printf("%.*s, %zu bytes\n", (int)(colon - line), line, strlen(colon + 1));
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        trim(line);
        if (line[0] == '\0')
            break;
        header(line);
    }
    free(line);
    return 0;
}
