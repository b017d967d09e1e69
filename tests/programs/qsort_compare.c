// qsort and bsearch from libc with comparison functions of our own, called
// back from code that is not instrumented. (The flag keeps glibc from inlining
// bsearch when optimising.)
//~ STDIN: "\x32\x01\x07\x02\x99\x03\x07\x04\x14\x05\x32\x06"
//~ FLAGS: -D__NO_INLINE__
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct item { unsigned char key, value; };

static unsigned comparisons;

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    comparisons++;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (int)x->value - (int)y->value;
}

static int descending(const void *a, const void *b)
{
    return *(const unsigned char *)b - *(const unsigned char *)a;
}

int main(void)
{
    struct item items[6] = {{0, 0}};
    unsigned char bytes[12];
    if (read(0, items, sizeof items) < 0)
        return 1;
    for (int i = 0; i < 6; i++) {
        bytes[i] = items[i].key;
        bytes[6 + i] = items[i].value;
    }

    qsort(items, 6, sizeof items[0], by_key);
    for (int i = 1; i < 6; i++) {
        if (items[i - 1].key > items[i].key)
            puts("never");
        if (items[i - 1].key == items[i].key)
            puts("twice the same key");
    }
    if (items[0].key == 7 && items[0].value == 2)
        puts("first");
    if (items[5].value == 3)
        puts("last");

    struct item wanted = {0x14, 5};
    const struct item *found = bsearch(&wanted, items, 6, sizeof items[0], by_key);
    if (found)
        printf("found at %d\n", (int)(found - items));

    qsort(bytes, 12, 1, descending);
    if (bytes[0] == 0x99)
        puts("largest byte");
    if (bytes[5] - bytes[6] > 0)
        puts("gap in the middle");
    if (comparisons == 0)
        puts("never");
    return 0;
}
