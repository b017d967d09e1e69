// WsMp3, second bug (EGT, section 6.3): a request of fewer than three characters has no type, and the caller does not ask.
//~ STDIN: "GET / HTTP/1.0"
//~ FINDS: segv respond
//~ SOLUTION: "GE"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OP_SIZE 10

__attribute__((noinline)) static char *get_op(const char *buf)
{
    char *op = malloc(OP_SIZE);
    if (!op)
        exit(1);
    if (strlen(buf) < 3) {
        free(op);
        return NULL;
    }
    int i = 0;
    while (i < OP_SIZE - 1 && buf[i] != ' ' && buf[i] != '\0') {
        op[i] = buf[i];
        i++;
    }
    op[i] = '\0';
    return op;
}

static int respond(const char *buf)
{
    char *op = get_op(buf);
    if (strcmp(op, "GET") == 0) //~ HERE
        return 1;
    if (strcmp(op, "POST") == 0)
        return 2;
    return 0;
}

int main(void)
{
    char buf[64];
    buf[fread(buf, 1, sizeof buf - 1, stdin)] = '\0';
    printf("%d\n", respond(buf));
    return 0;
}
