// A list that grows as long as a count is not reached, which one step size never does.
//~ STDIN: "\x08\x02"
//~ OPTIONS: --max-memory 512
//~ FINDS: out-of-memory grow
//~ SOLUTION: "\x07\x02"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    char bytes[1 << 16];
};

static struct block *blocks;

static unsigned grow(unsigned count, unsigned step)
{
    unsigned n_blocks = 0;
    for (unsigned i = 0; i != count; i += step) { //~ HERE
        struct block *block = malloc(sizeof *block); //~ HERE
        memset(block->bytes, (int)i, sizeof block->bytes); //~ HERE
        block->next = blocks; //~ HERE
        blocks = block; //~ HERE
        n_blocks++; //~ HERE
    }
    return n_blocks;
}

int main(void)
{
    unsigned char request[2];
    if (fread(request, 1, sizeof request, stdin) != sizeof request || request[1] != 2)
        return 1;
    printf("%u\n", grow(request[0] & 15, request[1]));
    return 0;
}
