// Reads lines add N, del N, find N for a sorted list; the goal wants 12, 345, 377, two deletions, one failed find.
//~ STDIN: "add 5\nadd 3\nfind 5\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096, MAX_ENTRIES = 16 };

struct entry {
    int value;
    struct entry *next;
};

struct list {
    struct entry entries[MAX_ENTRIES];
    struct entry *first, *unused;
    int len, n_deleted, n_missing, n_found, n_unfound;
};

static void init(struct list *list)
{
    for (int i = MAX_ENTRIES - 1; i >= 0; i--) {
        list->entries[i].next = list->unused;
        list->unused = &list->entries[i];
    }
}

/* The link to the first entry that is not less than the value. */
static struct entry **locate(struct list *list, int value)
{
    struct entry **link = &list->first;

    while (*link && (*link)->value < value)
        link = &(*link)->next;
    return link;
}

static const char *add(struct list *list, int value)
{
    struct entry **link = locate(list, value);
    struct entry *entry = list->unused;

    if (*link && (*link)->value == value)
        return "there already";
    if (!entry)
        return "list full";
    list->unused = entry->next;
    entry->value = value;
    entry->next = *link;
    *link = entry;
    list->len++;
    return NULL;
}

static const char *del(struct list *list, int value)
{
    struct entry **link = locate(list, value);
    struct entry *entry = *link;

    if (!entry || entry->value != value) {
        list->n_missing++;
        return NULL;
    }
    *link = entry->next;
    entry->next = list->unused;
    list->unused = entry;
    list->len--;
    list->n_deleted++;
    return NULL;
}

static const char *find(struct list *list, int value)
{
    struct entry *entry = *locate(list, value);

    if (entry && entry->value == value)
        list->n_found++;
    else
        list->n_unfound++;
    return NULL;
}

/* A number of up to four digits, or -1. */
static int number(const char *p, size_t len)
{
    int value = 0;

    if (len == 0 || len > 4)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        value = value * 10 + (p[i] - '0');
    }
    return value;
}

static const char *read_line(struct list *list, const char *line, size_t len)
{
    size_t skip = 4;
    int value;

    if (len > 5 && memcmp(line, "find ", 5) == 0)
        skip = 5;
    else if (len < 5 || (memcmp(line, "add ", 4) != 0 && memcmp(line, "del ", 4) != 0))
        return "unknown command";
    value = number(line + skip, len - skip);
    if (value < 0)
        return "not a number";
    switch (line[0]) {
    case 'a': return add(list, value);
    case 'd': return del(list, value);
    default: return find(list, value);
    }
}

static int holds(const struct list *list, const int *values, int n)
{
    const struct entry *entry = list->first;

    for (int i = 0; i < n; i++, entry = entry->next) {
        if (!entry || entry->value != values[i])
            return 0;
    }
    return !entry;
}

int main(void)
{
    static const int wanted[] = {12, 345, 377};
    static char in[MAX_INPUT];
    static struct list list;
    size_t n = fread(in, 1, sizeof in, stdin);

    init(&list);
    for (const char *at = in, *end = in + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *error = newline ? read_line(&list, at, (size_t)(newline - at)) : "half a line";

        if (error) {
            fprintf(stderr, "list: %s\n", error);
            return 1;
        }
        at = newline + 1;
    }
    if (list.n_deleted == 2 && list.n_unfound == 1 && holds(&list, wanted, 3))
        abort(); // the goal
    printf("%d entries, %d deleted, %d missing, %d found\n", list.len, list.n_deleted, list.n_missing, list.n_found);
    return 0;
}
