// A mail address is copied with room for the end of a comment; each end gives room back that its start never took.
//~ STDIN: "joe.b@a.de"
//~ FINDS: global-out-of-bounds crackaddr
//~ SOLUTION: "()()@a.bcd"
//~ TEXT
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif

static char buffer[8 * SCALE];

static void crackaddr(const char *address)
{
    int room = (int)sizeof buffer - 2;
    int n = 0, in_comment = 0;
    for (; *address; address++) {
        if (*address == '(' && !in_comment) {
            in_comment = 1;
#ifdef FIXED
            room--;
#endif
        } else if (*address == ')' && in_comment) {
            in_comment = 0;
            room++;
        }
        if (n < room)
            buffer[n++] = *address; //~ HERE
    }
    if (in_comment)
        buffer[n++] = ')'; //~ HERE
    buffer[n] = '\0'; //~ HERE
}

int main(void)
{
    char address[24 * SCALE];
    address[fread(address, 1, sizeof address - 1, stdin)] = '\0';
    crackaddr(address);
    puts(buffer);
    return 0;
}
