// WsMp3, first bug (EGT, Figure 5): ten bytes for the request's type, copied up to the first blank.
//~ STDIN: "GET / HTTP/1.0"
//~ FINDS: segv get_op
//~ SOLUTION: "GETGETGETGET / HTTP"
//~ QUICK
#include "fence.h"
#include <stdio.h>
#include <string.h>

#define OP_SIZE 10

static char *get_op(const char *buf)
{
    char *op = fenced(OP_SIZE);
    if (strlen(buf) < 3)
        return NULL;
    int i = 0;
    while (buf[i] != ' ' && buf[i] != '\0') {
        op[i] = buf[i]; //~ HERE
        i++;
    }
    if (i < OP_SIZE)
        op[i] = '\0';
    return op;
}

int main(void)
{
    char buf[64];
    buf[fread(buf, 1, sizeof buf - 1, stdin)] = '\0';
    char *op = get_op(buf);
    if (op && strcmp(op, "GET") == 0)
        puts("get");
    else if (op && strcmp(op, "POST") == 0)
        puts("post");
    else
        puts("unknown");
    return 0;
}
