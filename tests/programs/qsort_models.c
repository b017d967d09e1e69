// Sorting and searching by comparisons of our own: large elements, which are
// sorted by pointers, a comparison with an argument, a function of the library as
// a comparison, one that contradicts itself, linear searches.
//~ STDIN: "\x09\x03\x07\x03\x01\x08gimletsorts"
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct large {
    char text[40];
    unsigned char key;
};

static int by_key(const void *a, const void *b)
{
    return ((const struct large *)a)->key - ((const struct large *)b)->key;
}

static int by_column(const void *a, const void *b, void *column)
{
    const unsigned char *x = a, *y = b;
    size_t at = *(size_t *)column;
    return x[at] < y[at] ? -1 : x[at] > y[at];
}

// "Less" in a circle.
static int around(const void *a, const void *b)
{
    unsigned x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    return ((x * 7 + y * 3) & 4) ? -1 : 1;
}

static int same(const void *a, const void *b)
{
    return *(const unsigned char *)a != *(const unsigned char *)b;
}

int main(void)
{
    unsigned char in[17] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    struct large items[6];
    memset(items, 0, sizeof items);
    for (int i = 0; i < 6; i++) {
        items[i].key = in[i];
        items[i].text[0] = (char)('a' + i);
        items[i].text[39] = (char)in[6 + i];
    }
    qsort(items, 6, sizeof items[0], by_key);
    for (int i = 0; i < 6; i++)
        putchar(items[i].text[0]);
    putchar('\n');
    if (items[1].text[39] == 'm')
        puts("m came second");

    unsigned char rows[4][3];
    memcpy(rows, in + 5, sizeof rows);
    size_t column = 1;
    qsort_r(rows, 4, 3, by_column, &column);
    if (rows[0][0] == 'l')
        puts("l in the first row");

    char words[3][6];
    for (int i = 0; i < 3; i++) {
        memcpy(words[i], in + 6 + 3 * i, 3);
        words[i][3] = 0;
    }
    qsort(words, 3, sizeof words[0], (int (*)(const void *, const void *))strcmp);
    if (words[0][0] == 'g')
        puts("g first");

    unsigned char circle[6];
    memcpy(circle, in, sizeof circle);
    qsort(circle, 6, 1, around);
    if (circle[2] == 9)
        puts("nine in the middle");
    printf("%d %d %d\n", circle[0], circle[3], circle[5]);

    unsigned char list[8];
    size_t count = 6;
    memcpy(list, in, 6);
    unsigned char wanted = 3;
    unsigned char *found = lfind(&wanted, list, &count, 1, same);
    if (found)
        printf("found at %d\n", (int)(found - list));
    found = lsearch(in + 6, list, &count, 1, same);
    printf("%d at %d\n", (int)count, (int)(found - list));
    if (list[6] == 'g')
        puts("g added");
    return 0;
}
