// Headers go into a list, each name once; a second one of the same name is freed by the list and by the caller.
//~ STDIN: "to:joe\ncc:ann\nre:hi\n"
//~ FINDS: double-free read_headers
//~ SOLUTION: "to:joe\ncc:ann\nto:hi\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    struct header *next;
    char name[4];
    char value[12];
};

static struct header *headers;

__attribute__((noinline)) static struct header *make(const char *line)
{
    struct header *header = calloc(1, sizeof *header);
    if (!header)
        exit(1);
    if (sscanf(line, "%3[a-z]:%11s", header->name, header->value) == 2)
        return header;
    free(header);
    return NULL;
}

__attribute__((noinline)) static int insert(struct header *header)
{
    struct header **link = &headers;
    for (; *link; link = &(*link)->next) {
        if (strcmp((*link)->name, header->name) == 0) {
#ifndef FIXED
            free(header);
#endif
            return -1;
        }
    }
    *link = header;
    return 0;
}

static void read_headers(char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        struct header *header = make(line);
        if (header && insert(header) != 0) {
            puts("a second one");
            free(header); //~ HERE
        }
    }
}

int main(void)
{
    char text[40];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    read_headers(text);
    while (headers) {
        struct header *next = headers->next;
        printf("%s is %s\n", headers->name, headers->value);
        free(headers);
        headers = next;
    }
    return 0;
}
