// A child does the work, and crashes; the parent reports it as its own status.
//~ STDIN: "ab"
//~ BUDGET: 10s
//~ EXIT: 0
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int c = getchar(), status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (c == 'a')
            abort();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    puts(WIFSIGNALED(status) ? "the child crashed" : "all well");
    return 0;
}
