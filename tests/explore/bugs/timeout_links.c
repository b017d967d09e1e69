// A chain of links in a table, followed to its end: a circle behind the second entry has none.
//~ STDIN: "\x02\x03\x04\x00\x00\x00"
//~ FINDS: timeout follow
//~ SOLUTION: "\x03\x03\x00\x03\x00\x00"
#include <stdio.h>

static unsigned char next[6];
static unsigned visited[6];

static unsigned follow(unsigned at)
{
    unsigned n_steps = 0;
    while (next[at] != 0 && next[at] < 6) { //~ HERE
        at = next[at]; //~ HERE
        visited[at]++; //~ HERE
        n_steps++; //~ HERE
    }
    return n_steps;
}

int main(void)
{
    if (fread(next, 1, sizeof next, stdin) != sizeof next)
        return 1;
    if (next[0] != 3 || next[1] != 3) {
        puts("no chain");
        return 1;
    }
    unsigned n_steps = follow(1);
    printf("%u steps, %u\n", n_steps, visited[5]);
    return 0;
}
