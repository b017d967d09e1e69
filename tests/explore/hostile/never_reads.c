// It never looks at its input: there is one path.
//~ STDIN: "abc"
//~ SAYS: "never read"
//~ EXIT: 4
//~ QUICK
#include <stdio.h>

int main(void)
{
    puts("I know everything already");
    return 0;
}
