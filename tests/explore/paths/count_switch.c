// A switch with seven cases and a default, and a branch within one of them: 9 paths.
//~ STRATEGY: dfs
//~ PATHS: 9
//~ TESTS: 9
//~ EXHAUSTED: yes
//~ QUICK
#include <gimlet.h>
#include <stdio.h>

int main(void)
{
    unsigned short command = 0;
    unsigned char value = 0;
    gimlet_symbolic(&command, sizeof command, "command");
    gimlet_symbolic(&value, sizeof value, "value");
    switch (command) {
    case 3: puts("three"); break;
    case 10: puts("ten"); break;
    case 11: puts("eleven"); break;
    case 200:
        if (value < 50)
            puts("low");
        else
            puts("high");
        break;
    case 201: puts("next"); break;
    case 5000: puts("far"); break;
    case 65535: puts("last"); break;
    default: puts("other");
    }
    return 0;
}
