// Comparison functions that native code calls: what they return is decided by
// the input through indices and pointers, not by the array that is sorted.
//~ STDIN: "callbacks!"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char in[10];
static char words[3][4];

static int by_byte(const void *a, const void *b)
{
    return in[*(const int *)a] - in[*(const int *)b];
}

static int by_word(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    int order[10];
    for (int i = 0; i < 10; i++)
        order[i] = i;
    qsort(order, 10, sizeof *order, by_byte);
    if (order[0] == 9)
        puts("the last is the least");
    char *sorted[3];
    for (int i = 0; i < 3; i++) {
        memcpy(words[i], in + 3 * i, 3);
        sorted[i] = words[i];
    }
    qsort(sorted, 3, sizeof *sorted, by_word);
    if (sorted[0] == words[1])
        puts("the second word is the first");
    printf("%d %d\n", order[4], (int)(sorted[2] - words[0]));
    return 0;
}
