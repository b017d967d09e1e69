// A path loses the ./ at its start by strcpy within itself.
//~ STDIN: "get /a/../readme\n"
//~ FINDS: overlap normalize
//~ SOLUTION: "get ./a/./readme\n"
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void normalize(char *path)
{
    while (path[0] == '.' && path[1] == '/')
#ifdef FIXED
        memmove(path, path + 2, strlen(path + 2) + 1);
#else
        strcpy(path, path + 2); //~ HERE
#endif
}

static int is_inside(const char *path)
{
    if (path[0] == '/')
        return 0;
    for (; (path = strstr(path, "..")) != NULL; path += 2)
        if (path[2] == '/' || path[2] == '\0')
            return 0;
    return 1;
}

int main(void)
{
    char line[40];
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "get ", 4) != 0)
        return 1;
    char *path = line + 4;
    normalize(path);
    printf("%s%s\n", path, is_inside(path) ? "" : ": refused");
    return 0;
}
