// Sorting and searching with a comparison of the program's own, and hash tables.
#include "model.h"
#include <search.h>

static size_t width;

static int by_bytes(const void *a, const void *b)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = width; i-- > 0;)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Without branches: the result itself is symbolic. */
static int by_difference(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int down(const void *a, const void *b)
{
    return by_difference(b, a);
}

static int (*comparison(void))(const void *, const void *)
{
    static int (*const all[])(const void *, const void *) = {by_bytes, by_difference, down};
    return all[pick(3)];
}

static void pick_width(void)
{
    static const size_t widths[] = {1, 1, 2, 4, 8, 3};
    width = widths[pick(6)];
}

CASES(qsort, KEYS, 24)
{
    pick_width();
    void *a = bytes(0, in, 24);
    qsort(a, pick(24 / width + 1), width, comparison());
    see_buffer(0);
}

static int by_byte_at(const void *a, const void *b, void *at)
{
    size_t i = *(size_t *)at;
    return ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
}

CASES(qsort_r, KEYS, 24)
{
    pick_width();
    size_t at = pick(width);
    void *a = bytes(0, in, 24);
    qsort_r(a, pick(24 / width + 1), width, by_byte_at, &at);
    see_buffer(0);
}

/* Elements that are sorted by pointers to them, by a comparison that need not agree with itself. */
struct large {
    unsigned char key, rest[39];
};

static int around(const void *a, const void *b)
{
    return ((const struct large *)a)->key % 5 - ((const struct large *)b)->key % 3;
}

CASES_AS(qsort_large, "qsort", KEYS, 12)
{
    static struct large a[6];
    for (int i = 0; i < 6; i++) {
        a[i].key = in[i];
        a[i].rest[38] = in[6 + i];
    }
    qsort(a, 6, sizeof a[0], around);
    for (int i = 0; i < 6; i++) {
        see_number(a[i].key);
        see_number(a[i].rest[38]);
    }
}

CASES(bsearch, KEYS, 32)
{
    pick_width();
    unsigned char *a = bytes(0, in, 24);
    if (pick(2))
        for (int i = 0; i < 24; i++)
            a[i] = 2 * (i / width);
    see_place(bsearch(bytes(1, in + 24, 8), a, pick(24 / width + 1), width, comparison()), a);
}

CASES(lfind, KEYS, 32)
{
    pick_width();
    unsigned char *a = bytes(0, in, 24);
    size_t n = pick(24 / width + 1);
    see_place(lfind(bytes(1, in + 24, 8), a, &n, width, comparison()), a);
}

CASES(lsearch, KEYS, 33)
{
    width = 1;
    unsigned char *a = bytes(0, in, 25);
    size_t n = pick(25);
    see_place(lsearch(bytes(1, in + 25, 8), a, &n, width, comparison()), a);
    see_number(n);
    see_buffer(0);
}

/* Six keys go in, one goes out, another is looked for. */
CASES(tsearch, KEYS, 8)
{
    void *root = NULL;
    unsigned char *keys = bytes(0, in, 8);
    for (int i = 0; i < 6; i++)
        see_place(*(void **)tsearch(keys + i, &root, by_difference), keys);
    see_number(tdelete(keys + 6, &root, by_difference) != NULL);
    void **found = tfind(keys + 7, &root, by_difference);
    see_place(found ? *found : NULL, keys);
    while (root)
        tdelete(*(void **)root, &root, by_difference);
}

/* Three keys go in, a fourth is looked for. What is found is the number of a key. */
CASES(hsearch, TEXT, 16)
{
    static char keys[4][5];
    for (int i = 0; i < 16; i++)
        keys[i / 4][i % 4] = in[i];
    hcreate(8);
    for (long i = 0; i < 3; i++) {
        ENTRY *entered = hsearch((ENTRY){keys[i], (void *)(i + 1)}, ENTER);
        see_number(entered ? (long)entered->data : 0);
    }
    ENTRY *entry = hsearch((ENTRY){keys[3], NULL}, FIND);
    see_number(entry ? (long)entry->data : 0);
    hdestroy();
}
