// A binary search tree on an array of nodes: insertion, depth, removal of the
// root and an in-order walk, all steered by the input.
//~ STDIN: "\x40\x20\x60\x10\x30\x50\x70\x20"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { NODES = 8 };

struct node { uint8_t key, count; int8_t left, right; };

static struct node nodes[NODES];
static int used;

static int insert(int at, uint8_t key)
{
    if (at < 0) {
        nodes[used] = (struct node){key, 1, -1, -1};
        return used++;
    }
    struct node *n = &nodes[at];
    if (key == n->key)
        n->count++;
    else if (key < n->key)
        n->left = (int8_t)insert(n->left, key);
    else
        n->right = (int8_t)insert(n->right, key);
    return at;
}

static int depth(int at)
{
    if (at < 0)
        return 0;
    int left = depth(nodes[at].left), right = depth(nodes[at].right);
    return 1 + (left > right ? left : right);
}

static int remove_smallest(int at, int *smallest)
{
    if (nodes[at].left < 0) {
        *smallest = at;
        return nodes[at].right;
    }
    nodes[at].left = (int8_t)remove_smallest(nodes[at].left, smallest);
    return at;
}

static int walk(int at, int previous)
{
    if (at < 0)
        return previous;
    previous = walk(nodes[at].left, previous);
    if (nodes[at].key - previous == 16)
        putchar('=');
    else if (nodes[at].key - previous > 32)
        putchar('>');
    return walk(nodes[at].right, nodes[at].key);
}

int main(void)
{
    unsigned char in[NODES] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    int root = -1, smallest = -1;
    for (int i = 0; i < NODES; i++)
        root = insert(root, in[i]);
    int before = depth(root);
    if (before == 3)
        puts("balanced");
    if (before > 5)
        puts("deep");
    root = remove_smallest(root, &smallest);
    if (nodes[smallest].key == 5 || nodes[smallest].count > 1)
        puts("smallest");
    int largest = walk(root, 0);
    printf(" %d %d %d\n", before, used, largest);
    return 0;
}
