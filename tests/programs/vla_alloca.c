// Variable-length arrays and alloca, sized by the input: on the stack, in a
// loop, two-dimensional, and passed to functions.
//~ STDIN: "\x05\x02hello, stack of mine"
#include <alloca.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned diagonal(unsigned n, unsigned char grid[n][n])
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += grid[i][i];
    return sum;
}

static __attribute__((noinline)) unsigned reversed_sum(const unsigned char *p, unsigned n)
{
    unsigned char copy[n + 1];
    memset(copy, 0, n + 1);
    for (unsigned i = 0; i < n; i++)
        copy[n - 1 - i] = p[i];
    copy[n] = 0;
    unsigned sum = 0;
    for (unsigned i = 0; copy[i]; i++)
        sum = (sum * 2 + copy[i]) & 0xffff;
    return sum;
}

struct node { unsigned char value; struct node *next; };

int main(void)
{
    unsigned char in[22] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    unsigned n = in[0] & 15, size = in[1] % 4 + 1;

    unsigned sum = reversed_sum(in + 2, n);
    if (sum == 3378)
        puts("hello");
    if (sum > 10000)
        puts("long");

    unsigned char grid[size][size];
    memset(grid, 0, sizeof grid);
    for (unsigned i = 0; i < size * size; i++)
        grid[i / size][i % size] = in[2 + i];
    if (diagonal(size, grid) == 'h' + 'o' + 't')
        puts("diagonal");
    if (sizeof grid == 9)
        puts("nine cells");

    // A list built on the stack.
    struct node *list = NULL;
    for (unsigned i = 0; i < n; i++) {
        struct node *node = alloca(sizeof *node);
        node->value = in[2 + i];
        node->next = list;
        list = node;
    }
    unsigned pairs = 0;
    for (; list && list->next; list = list->next)
        pairs += list->value == list->next->value;
    if (pairs == 1)
        puts("one pair");
    if (pairs == 2)
        puts("two pairs");

    for (unsigned round = 1; round <= 3; round++) {
        unsigned char part[round * size];
        memcpy(part, in + 2, sizeof part);
        if (part[sizeof part - 1] == 'o')
            printf("o at %u\n", (unsigned)sizeof part);
    }
    printf("%u %u\n", size, sum);
    return 0;
}
