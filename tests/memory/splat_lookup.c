// A file name goes behind a directory and a slash, but room for the slash is asked of the root, which needs none.
//~ STDIN: "/home/ftp/pub/linux\nnew.tar"
//~ FINDS: stack-out-of-bounds lookup
//~ SOLUTION: "/home/ftp/pub/linux/new.tar"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { MAX_PATH = 32 * SCALE };

static int rootd;

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
    resolved[fread(resolved, 1, sizeof resolved - 1, stdin)] = '\0';
    resolved[strcspn(resolved, "\n")] = '\0';
    if (lookup(resolved) != 0) {
        puts("too long");
        return 1;
    }
    puts(resolved);
    return 0;
}
