// Hash tables and trees of the library with symbolic keys.
//~ STDIN: "bee\0ant\0cat\0ant\0cow\0"
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char keys[5][4];
static unsigned comparisons;

static int compare(const void *a, const void *b)
{
    comparisons++;
    return strcmp(a, b);
}

static void visit(const void *node, VISIT order, int depth)
{
    if (order == postorder || order == leaf)
        printf("%.3s at %d\n", *(char *const *)node, depth);
}

static void keep(void *key)
{
    (void)key;
}

static void hash(void)
{
    hcreate(8);
    for (long i = 0; i < 3; i++)
        hsearch((ENTRY){keys[i], (void *)(i + 1 + keys[i][2] % 2)}, ENTER);
    for (int i = 3; i < 5; i++) {
        ENTRY *found = hsearch((ENTRY){keys[i], NULL}, FIND);
        if (found && (long)found->data == 2)
            puts("two");
        printf("%ld\n", found ? (long)found->data : 0);
    }
    hdestroy();

    struct hsearch_data table = {0};
    ENTRY *found = NULL;
    hcreate_r(4, &table);
    hsearch_r((ENTRY){keys[0], keys[1]}, ENTER, &found, &table);
    hsearch_r((ENTRY){"ant", keys[2]}, ENTER, &found, &table);
    if (hsearch_r((ENTRY){keys[3], NULL}, FIND, &found, &table) && found->data == keys[2])
        puts("ant");
    hdestroy_r(&table);
}

int main(void)
{
    if (read(0, keys, sizeof keys) < 0)
        return 1;
    for (int i = 0; i < 5; i++)
        keys[i][3] = 0;
    hash();

    void *root = NULL;
    for (int i = 0; i < 3; i++) {
        char **node = tsearch(keys[i], &root, compare);
        printf("%d\n", *node == keys[i]);
    }
    for (int i = 3; i < 5; i++) {
        char **node = tfind(keys[i], &root, compare);
        puts(node ? "there" : "not there");
    }
    twalk(root, visit);
    if (tdelete(keys[3], &root, compare))
        puts("deleted");
    printf("%u\n", comparisons);
    tdestroy(root, keep);
    return 0;
}
