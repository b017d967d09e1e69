// The blanks at the end of a mail header are cut off; a subject of nothing but blanks has no character that stops it.
//~ STDIN: "From: joe  \nDate: now  \n"
//~ FINDS: heap-out-of-bounds trimmed
//~ SOLUTION: "From: joe  \nSubject:   \n"
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef SCALE
#define SCALE 1
#endif

static char *trimmed(const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return NULL;
    int len = (int)strlen(copy);
#ifdef FIXED
    while (len > 0 && copy[len - 1] == ' ')
#else
    while (copy[len - 1] == ' ') //~ HERE
#endif
        len--;
    copy[len] = '\0';
    return copy;
}

static void header(char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon++ = '\0';
    if (strcasecmp(line, "subject") != 0) {
        printf("(%s)\n", line);
        return;
    }
    char *subject = trimmed(colon);
    if (!subject)
        return;
    printf("subject is%s\n", subject);
    free(subject);
}

int main(void)
{
    char text[40 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        header(line);
    return 0;
}
