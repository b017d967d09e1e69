// Each line of a connection goes to a handler, which frees the connection at the word quit; the caller then counts the line.
//~ STDIN: "user joe\nnoop\nstat\n"
//~ FINDS: use-after-free feed
//~ SOLUTION: "user joe\nquit\nstat\n"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
    int (*on_line)(struct connection *, const char *);
    int n_lines;
    char user[8];
};

static void close_connection(struct connection *connection)
{
    puts("bye");
    free(connection);
}

static int command(struct connection *connection, const char *line)
{
    if (strncmp(line, "user ", 5) == 0) {
        snprintf(connection->user, sizeof connection->user, "%s", line + 5);
    } else if (strcmp(line, "stat") == 0) {
        printf("%s, line %d\n", connection->user, connection->n_lines);
    } else if (strcmp(line, "quit") == 0) {
        close_connection(connection);
        return 0;
    }
    return 1;
}

/* Whether the connection is still open. */
static int feed(struct connection *connection, const char *line)
{
    int is_open = connection->on_line(connection, line);
#ifdef FIXED
    if (is_open)
        connection->n_lines++;
#else
    connection->n_lines++; //~ HERE
#endif
    return is_open;
}

int main(void)
{
    char text[32];
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return 1;
    connection->on_line = command;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (!feed(connection, line))
            return 0;
    close_connection(connection);
    return 0;
}
