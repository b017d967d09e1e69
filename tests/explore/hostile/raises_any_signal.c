// It ends by a signal that is no crash.
//~ STDIN: "ab"
//~ EXIT: 0
#include <signal.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    raise(c == 'x' ? SIGTERM : SIGPIPE);
    return 0;
}
