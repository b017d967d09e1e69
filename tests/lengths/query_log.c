// A name server writes queries to its log. Each part of a line is short enough, all of them together are not.
//~ STDIN: "10.0.0.1\nwww.a.de\nIN\nMX\n"
//~ FINDS: stack-out-of-bounds log_query
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAX_PART = 250, MAX_MESSAGE = 1000 };

struct query {
    char peer[MAX_PART + 1];
    char name[MAX_PART + 1];
    char class[MAX_PART + 1];
    char type[MAX_PART + 1];
};

// Reads a line into a part of a query: -1 at the end of the input, 1 if it is too long.
static int read_part(char *part)
{
    char line[512];
    if (!fgets(line, sizeof line, stdin))
        return -1;
    size_t length = strcspn(line, "\r\n");
    if (line[length] == '\0' && !feof(stdin))
        return 1;
    line[length] = '\0';
    if (length > MAX_PART)
        return 1;
    strcpy(part, line);
    return 0;
}

static int read_query(struct query *query)
{
    char *parts[] = { query->peer, query->name, query->class, query->type };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int status = read_part(parts[i]);
        if (status != 0)
            return status;
        if (parts[i][0] == '\0')
            return 1;
    }
    return 0;
}

static void log_query(const struct query *query)
{
    char buffer[MAX_MESSAGE];
#ifdef FIXED
    snprintf(buffer, sizeof buffer, "%s: query(%s) %s (%s:%s)", "client", query->peer, query->name, query->class,
             query->type);
#else
    sprintf(buffer, "%s: query(%s) %s (%s:%s)", "client", query->peer, query->name, query->class, query->type); //~ HERE
#endif
    puts(buffer);
}

int main(void)
{
    struct query query;
    int status;
    while ((status = read_query(&query)) == 0)
        log_query(&query);
    if (status == 1)
        puts("FORMERR");
    return status == 1;
}
