// A parser keeps the address of its last message, which it wrote into a buffer of its own.
//~ ARGS: 08080
//~ SYMBOLIC-ARGS
//~ FINDS: use-after-return report
//~ SOLUTION arg1: "78080"
//~ QUICK
#include <stdio.h>
#include <string.h>

static const char *last_error;

__attribute__((noinline)) static long parse_port(const char *text)
{
#ifdef FIXED
    static char message[32];
#else
    char message[32];
#endif
    long port = 0;
    for (int i = 0; text[i]; i++) {
        if (i == 6 || text[i] < '0' || text[i] > '9') {
            last_error = "not a number";
            return -1;
        }
        port = port * 10 + (text[i] - '0');
    }
    if (port > 65535) {
        snprintf(message, sizeof message, "%ld is too large", port);
        last_error = message;
        return -1;
    }
    return port;
}

__attribute__((noinline)) static void report(void)
{
    if (last_error)
        printf("port: %s\n", last_error); //~ HERE
    last_error = NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    long port = parse_port(argv[1]);
    if (port < 0) {
        report();
        return 1;
    }
    printf("%ld\n", port);
    return 0;
}
