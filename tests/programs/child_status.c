// How a child ends may depend on the input: each way to learn of it is counted as lost, with its place.
//~ STDIN: "y"
//~ LOSES: how a child process ended
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void)
{
    int in = getchar();
    char command[] = "exit _";
    command[5] = in == 'y' ? '3' : '4';
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        puts("system");
    FILE *said = popen(command, "r");
    if (!said)
        return 1;
    status = pclose(said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        puts("pclose");
    return 0;
}
