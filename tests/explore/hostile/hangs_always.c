// It hangs on every input: found once, and the run ends in its time.
//~ STDIN: "abc"
//~ OPTIONS: --timeout 300ms
//~ BUDGET: 10s
//~ FINDS: timeout main
//~ SAYS: "timeout"
//~ EXIT: 10
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int c = getchar();
    if (c == 'a')
        puts("an a");
    for (;;)
        usleep(1000);
}
