// A request has a method and a length; one of the methods is not noted, and its name is looked up.
//~ STDIN: "PUT 12\n"
//~ FINDS: uninitialised describe
//~ SOLUTION: "DEL 12\n"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    int method;
    long length;
};

static const char *names[] = {"reads", "writes", "deletes", "asks"};

__attribute__((noinline)) static int parse(struct request *request, const char *line)
{
    if (strncmp(line, "GET ", 4) == 0) {
        request->method = 0;
    } else if (strncmp(line, "PUT ", 4) == 0) {
        request->method = 1;
    } else if (strncmp(line, "DEL ", 4) == 0) {
#ifdef FIXED
        request->method = 2;
#endif
    } else {
        return -1;
    }
    request->length = strtol(line + 4, NULL, 10);
    return 0;
}

static void describe(const struct request *request)
{
    const char *name = names[request->method & 3]; //~ HERE
    printf("%s %ld bytes\n", name, request->length);
}

int main(void)
{
    char line[24];
    struct request request;
    line[fread(line, 1, sizeof line - 1, stdin)] = '\0';
    if (parse(&request, line) != 0) {
        puts("what?");
        return 1;
    }
    describe(&request);
    return 0;
}
