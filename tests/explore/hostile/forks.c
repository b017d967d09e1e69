// It forks children that outlive it and hold its output open; none may be left behind.
//~ STDIN: "ab"
//~ BUDGET: 10s
//~ EXIT: 0
//~ QUICK
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int c = getchar();
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            setsid();
            sleep(1000);
            return 0;
        }
    }
    puts(c == 'z' ? "zed" : "another letter");
    return 0;
}
