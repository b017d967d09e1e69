// wuftpd's mapping_chdir (dissertation, Figure 4.9): a path of any length is copied.
//~ STDIN: "/tmp"
//~ MAX-LEN: 64
//~ FINDS: segv mapping_chdir
//~ SOLUTION: "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#include "fence.h"
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 32

static char mapped_path[PATH_SIZE] = "/";
static char old_mapped_path[PATH_SIZE];

static void mapping_chdir(const char *orig_path)
{
    char *path = fenced(PATH_SIZE);
    strcpy(old_mapped_path, mapped_path);
    strcpy(path, orig_path); //~ HERE
    if (path[0] == '/')
        strcpy(mapped_path, path);
}

int main(void)
{
    char text[96];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    mapping_chdir(text);
    printf("from %s to %s\n", old_mapped_path, mapped_path);
    return 0;
}
