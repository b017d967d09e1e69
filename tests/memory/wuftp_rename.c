// An FTP server joins a directory and a name; where it puts a slash between them it has not counted it.
//~ STDIN: "STOR pub/ readme\n"
//~ FINDS: heap-out-of-bounds join
//~ SOLUTION: "RNTO pub1 readme\n"
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

static char *join(const char *directory, const char *name)
{
#ifdef FIXED
    char *path = malloc(strlen(directory) + 1 + strlen(name) + 1);
#else
    char *path = malloc(strlen(directory) + strlen(name) + 1);
#endif
    if (!path)
        return NULL;
    strcpy(path, directory);
    if (directory[strlen(directory) - 1] != '/')
        strcat(path, "/");
    strcat(path, name); //~ HERE
    return path;
}

static int rename_to(const char *directory, const char *name)
{
    char *path = join(directory, name);
    if (!path)
        return 451;
    printf("to %s\n", path);
    free(path);
    return 250;
}

static int command(char *line)
{
    char *verb = strtok(line, " \n");
    char *directory = strtok(NULL, " \n");
    char *name = strtok(NULL, " \n");
    if (!verb || !directory || !name)
        return 500;
    if (strcmp(verb, "RNTO") == 0)
        return rename_to(directory, name);
    if (strcmp(verb, "STOR") == 0)
        return 550;
    return 502;
}

int main(void)
{
    char line[40 * SCALE];
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    printf("%d\n", command(line));
    return 0;
}
