// It prints without end, and ends only if nobody listens any more.
//~ STDIN: "ab"
//~ OPTIONS: --timeout 500ms
//~ BUDGET: 10s
//~ FINDS: timeout main
//~ SAYS: "timeout"
//~ EXIT: 10
#include <stdio.h>

int main(void)
{
    int c = getchar();
    while (printf("%c and so on\n", c) > 0)
        fprintf(stderr, "and on\n");
    return 0;
}
