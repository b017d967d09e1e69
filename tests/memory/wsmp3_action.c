// A web server copies the action of a request, up to the first blank, into ten bytes.
//~ STDIN: "GET /song.mp3 HTTP/1.0\r\n"
//~ FINDS: heap-out-of-bounds get_op
//~ SOLUTION: "GETT/song.mp3 HTTP/1.0\r\n"
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { ACTION = 10 * SCALE };

static char *get_op(const char *buf)
{
    int i = 0;
    if (strlen(buf) < 3)
        return NULL;
    char *op = malloc(ACTION);
    if (!op)
        return NULL;
#ifdef FIXED
    while (i < ACTION - 1 && buf[i] != '\0' && buf[i] != ' ') {
#else
    while (buf[i] != ' ') {
#endif
        op[i] = buf[i]; //~ HERE
        i++;
    }
    op[i] = '\0'; //~ HERE
    return op;
}

static int serve(const char *buf)
{
    int status = 400;
    char *op = get_op(buf);
    if (!op)
        return status;
    if (strcmp(op, "GET") == 0)
        status = 200;
    else if (strcmp(op, "POST") == 0 || strcmp(op, "PUT") == 0)
        status = 501;
    free(op);
    return status;
}

int main(void)
{
    char buf[40 * SCALE] = {0};
    fread(buf, 1, sizeof buf - 1, stdin);
    printf("%d\n", serve(buf));
    return 0;
}
