// The number of its process decides which byte it looks at.
//~ STDIN: "abcdefgh"
//~ BUDGET: 5s
//~ EXHAUSTED: no
//~ DIVERGES
//~ EXIT: 0
//~ QUICK
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char bytes[8];
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    for (int i = 0; i < 3; i++) {
        if (bytes[(getpid() + i) & 7] == 'A' + i)
            puts("right");
        else
            puts("wrong");
    }
    return 0;
}
