// Keys are put into a search tree; a chain of five to the right is too much.
//~ STDIN: "\x04\x02\x06\x01\x03"
//~ FINDS: abort insert
//~ SOLUTION: "\x01\x02\x03\x04\x05"
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    unsigned char key;
};

static struct node nodes[5];
static int n_nodes;

static struct node *insert(struct node *tree, unsigned char key, int n_right)
{
    if (!tree) {
        if (n_right == 4)
            abort(); //~ HERE
        tree = &nodes[n_nodes++];
        tree->key = key;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key, 0);
    } else if (key > tree->key) {
        tree->right = insert(tree->right, key, n_right + 1);
    }
    return tree;
}

int main(void)
{
    struct node *tree = NULL;
    unsigned char keys[5];
    if (fread(keys, 1, sizeof keys, stdin) != sizeof keys)
        return 1;
    for (int i = 0; i < 5; i++)
        tree = insert(tree, keys[i], 0);
    printf("%d keys\n", n_nodes);
    return 0;
}
