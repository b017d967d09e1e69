// A request names a directory and a file, which are joined by a slash that was not counted.
//~ STDIN: "/var/www\nindex.html\n"
//~ FINDS: stack-out-of-bounds join
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 700, MAX_NAME = 512 };

static int read_line(char *line, size_t size)
{
    if (!fgets(line, (int)size, stdin))
        return -1;
    char *end = strchr(line, '\n');
    if (end)
        *end = '\0';
    return 0;
}

static int is_safe(const char *file)
{
    if (file[0] == '/' || file[0] == '\0')
        return 0;
    return strstr(file, "..") == NULL;
}

static int join(const char *directory, const char *file, unsigned *sum)
{
    char path[MAX_NAME];
#ifdef FIXED
    if (strlen(directory) + 1 + strlen(file) >= sizeof path)
        return -1;
#else
    if (strlen(directory) + strlen(file) >= sizeof path)
        return -1;
#endif
    strcpy(path, directory);
    strcat(path, "/");
    strcat(path, file); //~ HERE
    *sum = 0;
    for (const char *p = path; *p; p++)
        *sum = *sum * 31 + (unsigned char)*p;
    puts(path);
    return 0;
}

int main(void)
{
    char directory[MAX_LINE], file[MAX_LINE];
    unsigned sum;
    if (read_line(directory, sizeof directory) != 0 || read_line(file, sizeof file) != 0) {
        puts("400");
        return 1;
    }
    if (!is_safe(file)) {
        puts("403");
        return 1;
    }
    if (join(directory, file, &sum) != 0) {
        puts("414");
        return 1;
    }
    printf("200 %08x\n", sum);
    return 0;
}
