// A port number in text, with the checks that everybody writes.
//~ STDIN: "8080\n"
//~ FINDS: abort listen_at
//~ SOLUTION: "31337\n"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void listen_at(long port)
{
    if (port == 31337)
        abort(); //~ HERE
    printf("listening at %ld\n", port);
}

int main(void)
{
    char line[32];
    char *end;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    errno = 0;
    long port = strtol(line, &end, 10);
    if (end == line || errno || (*end != '\n' && *end != '\0') || port < 1 || port > 65535) {
        puts("not a port");
        return 1;
    }
    listen_at(port);
    return 0;
}
