// An automaton in a table: it accepts ab*cd after a header, and what it accepts it can't handle.
//~ STDIN: "xxxxxx"
//~ FINDS: segv accept_text
//~ SOLUTION: "#abbcd"
#include <stdio.h>

static const unsigned char classes[128] = {['a'] = 1, ['b'] = 2, ['c'] = 3, ['d'] = 4, ['#'] = 5};
static const unsigned char next[6][6] = {
    /*  other a  b  c  d  # */
    {0, 0, 0, 0, 0, 1},
    {0, 2, 0, 0, 0, 1},
    {0, 0, 2, 3, 0, 0},
    {0, 0, 0, 0, 4, 0},
    {4, 4, 4, 4, 4, 4},
    {0, 0, 0, 0, 0, 0},
};
static const char name[] = "abbcd";
const char *handlers[2] = {name, NULL};

static int accept_text(int is_accepted)
{
    return handlers[is_accepted][0]; //~ HERE
}

int main(void)
{
    char text[6];
    int state = 0;
    if (fread(text, 1, sizeof text, stdin) != sizeof text)
        return 1;
    for (int i = 0; i < 6; i++)
        state = next[state][text[i] < 0 ? 0 : classes[(unsigned char)text[i]]];
    printf("%c\n", accept_text(state == 4));
    return 0;
}
