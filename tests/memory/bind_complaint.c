// A name server reports a bad answer in one line of 36 bytes, made of three fields that are each short enough.
//~ STDIN: "named\0\0\0\0\0\0\0www.a.de\0\0\0\0lame\0\0\0\0\0\0\0\0"
//~ FINDS: heap-out-of-bounds complain
//~ SOLUTION: "named.local\0www.aaaa.de\0lame server\0"
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { FIELD = 12 * SCALE, LINE = 36 * SCALE };

struct report {
    char server[FIELD];
    char query[FIELD];
    char complaint[FIELD];
};

static char *complain(const struct report *report)
{
    char *line = malloc(LINE);
    if (!line)
        return NULL;
#ifdef FIXED
    snprintf(line, LINE, "%s: query(%s) %s", report->server, report->query, report->complaint);
#else
    sprintf(line, "%s: query(%s) %s", report->server, report->query, report->complaint); //~ HERE
#endif
    return line;
}

static int read_field(char *field)
{
    if (fread(field, 1, FIELD, stdin) != FIELD)
        return 0;
    field[FIELD - 1] = '\0';
    return field[0] != '\0';
}

int main(void)
{
    struct report report;
    if (!read_field(report.server) || !read_field(report.query) || !read_field(report.complaint))
        return 1;
    char *line = complain(&report);
    if (!line)
        return 1;
    puts(line);
    free(line);
    return 0;
}
