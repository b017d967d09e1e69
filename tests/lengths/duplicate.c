// Names of hosts are kept in a small list, long ones apart from it; for these the end of the string was forgotten.
//~ ARGS: add ns.example.org
//~ SYMBOLIC-ARGS
//~ FINDS: heap-out-of-bounds keep_name
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME = 400, MAX_NAMES = 16 };

struct table {
    char *names[MAX_NAMES];
    size_t n_names;
};

static char *keep_name(const char *name)
{
    size_t length = strlen(name);
    if (length <= SHORT_NAME)
        return strdup(name);
#ifdef FIXED
    char *kept = malloc(length + 1);
#else
    char *kept = malloc(length);
#endif
    if (kept)
        strcpy(kept, name); //~ HERE
    return kept;
}

static int add(struct table *table, const char *name)
{
    if (name[0] == '\0' || table->n_names == MAX_NAMES)
        return -1;
    for (size_t i = 0; i < table->n_names; i++)
        if (strcmp(table->names[i], name) == 0)
            return 0;
    char *kept = keep_name(name);
    if (!kept)
        return -1;
    table->names[table->n_names++] = kept;
    return 0;
}

static void clear(struct table *table)
{
    while (table->n_names > 0)
        free(table->names[--table->n_names]);
}

int main(int argc, char **argv)
{
    struct table table = { .n_names = 0 };
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: %s add|show NAME..\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc && status == 0; i++) {
        if (strcmp(argv[1], "add") == 0)
            status = add(&table, argv[i]) != 0;
        else if (strcmp(argv[1], "show") == 0)
            printf("%s\n", argv[i]);
        else
            status = 2;
    }
    for (size_t i = 0; i < table.n_names; i++)
        printf("%zu: %s\n", i, table.names[i]);
    clear(&table);
    return status;
}
