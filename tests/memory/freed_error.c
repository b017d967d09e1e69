// The header of a record is freed where an obsolete version is refused, and named in the message that the caller prints.
//~ STDIN: "name=song\nversion=2\n"
//~ FINDS: use-after-free load
//~ SOLUTION: "name=song\nversion=0\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { FINE, UNKNOWN, OBSOLETE };

struct header {
    char name[12];
    int version;
};

static struct header *parse(char *text)
{
    struct header *header = calloc(1, sizeof *header);
    if (!header)
        return NULL;
    header->version = 1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "name=", 5) == 0)
            snprintf(header->name, sizeof header->name, "%s", line + 5);
        else if (strncmp(line, "version=", 8) == 0)
            header->version = line[8] - '0';
    }
    return header;
}

__attribute__((noinline)) static enum status check(struct header *header)
{
    if (header->version == 0) {
#ifndef FIXED
        free(header);
#endif
        return OBSOLETE;
    }
    if (header->version < 0 || header->version > 3)
        return UNKNOWN;
    return FINE;
}

static int load(struct header *header)
{
    enum status status = check(header);
    if (status == OBSOLETE) {
        printf("%s is too old\n", header->name); //~ HERE
#ifdef FIXED
        free(header);
#endif
        return 1;
    }
    if (status == UNKNOWN)
        printf("%s is not known\n", header->name);
    free(header);
    return status != FINE;
}

int main(void)
{
    char text[40];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    struct header *header = parse(text);
    return header ? load(header) : 1;
}
