// malloc, calloc and realloc: a vector of words grown while reading, whose
// content and final size depend on the input, and a list of nodes.
//~ STDIN: "\x01\x10\x02\x20\x02\x21\x03\x01\x30\x02\x99\x01\x44"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct vector { uint32_t *items; unsigned count, capacity; };

static int push(struct vector *v, uint32_t item)
{
    if (v->count == v->capacity) {
        unsigned capacity = v->capacity ? v->capacity * 2 : 2;
        uint32_t *items = realloc(v->items, capacity * sizeof *items);
        if (!items)
            return 0;
        v->items = items;
        v->capacity = capacity;
    }
    v->items[v->count++] = item;
    return 1;
}

struct node { unsigned char value; struct node *next; };

int main(void)
{
    unsigned char in[16] = {0};
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;

    // 1 v: push v; 2 v: push v twice, scaled; 3: pop; others do nothing.
    struct vector v = {0};
    for (ssize_t i = 0; i < n; i++) {
        unsigned char operand = i + 1 < n ? in[i + 1] : 0;
        if (in[i] == 1 && push(&v, operand))
            i++;
        else if (in[i] == 2 && push(&v, operand * 256u) && push(&v, operand * 3u))
            i++;
        else if (in[i] == 3 && v.count > 0)
            v.count--;
    }
    if (v.count == 7)
        puts("seven items");
    uint32_t sum = 0;
    for (unsigned i = 0; i < v.count; i++) {
        if (v.items[i] > 0x2000)
            puts("large item");
        sum += v.items[i];
    }
    if (sum % 100 == 42)
        puts("sum");

    // Sorted insertion into a list; calloc gives zeroes to build upon.
    struct node *head = NULL;
    for (int i = 0; i < 6; i++) {
        struct node *node = calloc(1, sizeof *node);
        if (!node)
            return 1;
        node->value += in[i];
        struct node **link = &head;
        while (*link && (*link)->value < node->value)
            link = &(*link)->next;
        node->next = *link;
        *link = node;
    }
    if (head->value == head->next->value)
        puts("smallest twice");
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    printf("%u %u\n", v.count, sum);
    free(v.items);
    return 0;
}
