// A web server that gets no action out of a request shorter than three characters, and compares it all the same.
//~ STDIN: "GET /a\r\n"
//~ FINDS: null-dereference serve
//~ SOLUTION: "GE\0/a\r\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTION = 10 };

__attribute__((noinline)) static char *get_op(const char *buf)
{
    char *op;
    if (strlen(buf) < 3)
        return NULL;
    op = calloc(ACTION, 1);
    if (!op)
        exit(1);
    for (int i = 0; i < ACTION - 1 && buf[i] && buf[i] != ' '; i++)
        op[i] = buf[i];
    return op;
}

static int serve(const char *buf)
{
    int status = 501;
    char *op = get_op(buf);
#ifdef FIXED
    if (!op)
        return 400;
#endif
    if (strcmp(op, "GET") == 0) //~ HERE
        status = 200;
    else if (strcmp(op, "POST") == 0)
        status = 411;
    free(op);
    return status;
}

int main(void)
{
    char buf[32];
    buf[fread(buf, 1, sizeof buf - 1, stdin)] = '\0';
    printf("%d\n", serve(buf));
    return 0;
}
