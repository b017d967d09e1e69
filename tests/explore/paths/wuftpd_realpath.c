// wuftpd's fb_realpath (CESE, Figure 2): the check leaves no room for the slash that is put between.
//~ LEN: 4
//~ MAX-LEN: 48
//~ FINDS: segv join
//~ SOLUTION: "aaaaaaaaaaaaaaaaaaaaa"
#include "fence.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 32

static int join(char *resolved, const char *wbuf)
{
    int is_root = resolved[0] == '/' && resolved[1] == '\0';
    if (*wbuf) {
        if (strlen(resolved) + strlen(wbuf) + (size_t)is_root + 1 > PATH_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (!is_root)
            strcat(resolved, "/");
        strcat(resolved, wbuf); //~ HERE
    }
    return 0;
}

int main(void)
{
    char wbuf[64] = {0};
    char *resolved = fenced(PATH_SIZE);
    strcpy(resolved, "/home/user");
    fread(wbuf, 1, sizeof wbuf - 1, stdin);
    if (join(resolved, wbuf) != 0) {
        puts("name too long");
        return 1;
    }
    puts(resolved);
    return 0;
}
