// The path of a mailing list is brought into a normal form; components are measured, the slashes between them are not.
//~ STDIN: ":include:/etc/mail/staff\n"
//~ FINDS: stack-out-of-bounds clean_path
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAX_PATH = 256, MAX_COMPONENT = 64 };

struct list {
    const char *path;
    size_t n_components;
};

// Leaves out the components that are a single dot.
static int clean_path(const char *path, size_t *n_components)
{
    char clean[MAX_PATH];
    char *out = clean;
    size_t room = sizeof clean - 1;

    *n_components = 0;
    while (*path) {
        const char *end = path;
        while (*end && *end != '/')
            end++;
        size_t length = (size_t)(end - path);
        if (length > MAX_COMPONENT)
            return -1;
        if (length == 1 && *path == '.')
            length = 0;
#ifdef FIXED
        size_t needed = length + (*end == '/');
#else
        size_t needed = length;
#endif
        if (needed > room)
            return -1;
        room -= needed;
        if (length > 0) {
            memcpy(out, path, length); //~ HERE
            out += length;
            ++*n_components;
        }
        if (*end == '/')
            *out++ = *end++; //~ HERE
        path = end;
    }
    *out = '\0'; //~ HERE
    printf("%s\n", clean);
    return 0;
}

static int read_list(struct list *list, const char *line)
{
    static const char tag[] = ":include:";
    if (strncmp(line, tag, sizeof tag - 1) != 0)
        return -1;
    list->path = line + sizeof tag - 1;
    if (list->path[0] != '/')
        return -1;
    return clean_path(list->path, &list->n_components);
}

int main(void)
{
    char line[2000];
    struct list list;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    line[strcspn(line, "\n")] = '\0';
    if (read_list(&list, line) != 0) {
        puts("553 list: invalid path");
        return 1;
    }
    printf("%zu components\n", list.n_components);
    return 0;
}
