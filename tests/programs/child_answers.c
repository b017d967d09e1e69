// What a child says through a pipe may depend on the input: it is counted as lost.
//~ STDIN: "y"
//~ LOSES: read from a file, pipe or socket
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char in = 0, command[] = "echo _";
    if (read(0, &in, 1) < 0)
        return 1;
    command[5] = in == 'y' ? '1' : '0';
    FILE *child = popen(command, "r");
    if (!child)
        return 2;
    int answer = getc(child);
    pclose(child);
    if (answer == '1')
        puts("yes");
    return 0;
}
