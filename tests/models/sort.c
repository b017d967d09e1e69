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
