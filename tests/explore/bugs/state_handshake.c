// A handshake in five states; out of order it starts again.
//~ STDIN: "HHHHHHHH"
//~ FINDS: abort established
//~ SOLUTION: "HKSA\x2a"
#include <stdio.h>
#include <stdlib.h>

enum state { IDLE, HELLO, KEYS, SIGNED, ACKNOWLEDGED };

static void established(int first)
{
    if (first == 42)
        abort(); //~ HERE
    printf("first byte %d\n", first);
}

int main(void)
{
    enum state state = IDLE;
    int c;
    while ((c = getchar()) != EOF) {
        switch (state) {
        case IDLE: state = c == 'H' ? HELLO : IDLE; break;
        case HELLO: state = c == 'K' ? KEYS : IDLE; break;
        case KEYS: state = c == 'S' ? SIGNED : c == 'K' ? KEYS : IDLE; break;
        case SIGNED: state = c == 'A' ? ACKNOWLEDGED : IDLE; break;
        case ACKNOWLEDGED: established(c); state = IDLE; break;
        }
    }
    printf("state %d\n", state);
    return 0;
}
