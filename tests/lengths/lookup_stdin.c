// A file name goes behind a directory and a slash, but room for the slash is asked of the root, which needs none: one
// length of the directory, 1,019 bytes, is too much.
//~ STDIN: "/home/ftp/pub\n"
//~ FINDS: stack-out-of-bounds lookup
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 1024 };

static int rootd;

static void chomp(char *line)
{
    size_t length = strlen(line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
}

static int lookup(char *resolved)
{
    const char *wbuf = "blah";
    if (resolved[0] == '/' && resolved[1] == '\0')
        rootd = 1;
    else
        rootd = 0;
#ifdef FIXED
    if (strlen(resolved) + strlen(wbuf) + (size_t)!rootd + 1 > MAX_PATH)
        return -1;
#else
    if (strlen(resolved) + strlen(wbuf) + (size_t)rootd + 1 > MAX_PATH)
        return -1;
#endif
    if (rootd == 0)
        strcat(resolved, "/");
    strcat(resolved, wbuf); //~ HERE
    return 0;
}

int main(void)
{
    char resolved[MAX_PATH];
    int status = 0;
    while (fgets(resolved, sizeof resolved, stdin)) {
        chomp(resolved);
        if (resolved[0] == '\0')
            continue;
        if (resolved[0] != '/') {
            puts("550 not absolute");
            status = 1;
            continue;
        }
        if (lookup(resolved) != 0) {
            puts("550 too long");
            status = 1;
            continue;
        }
        printf("250 %s\n", resolved);
    }
    return status;
}
