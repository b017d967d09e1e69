// strtok, strtok_r and strsep: each character of the input decides where tokens
// are, and terminators take the place of delimiters.
//~ STDIN: "a=1; bc=22;;=x"
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char in[15] = {0}, copy[15];
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    memcpy(copy, in, sizeof in);
    unsigned parts = 0;
    for (char *part = strtok(copy, "; "); part; part = strtok(NULL, "; ")) {
        parts++;
        if (strcmp(part, "bc=22") == 0)
            puts("found");
    }
    printf("%u parts\n", parts);

    memcpy(copy, in, sizeof in);
    char *outer, *inner;
    for (char *part = strtok_r(copy, ";", &outer); part; part = strtok_r(NULL, ";", &outer)) {
        char *key = strtok_r(part, "=", &inner), *value = strtok_r(NULL, "=", &inner);
        printf("%d %d\n", key ? (int)strlen(key) : -1, value ? (int)strlen(value) : -1);
    }

    char *rest = in, delimiters[2] = {in[1], 0};
    unsigned fields = 0, empty = 0;
    for (char *field; (field = strsep(&rest, delimiters)); fields++)
        empty += !*field;
    printf("%u fields, %u empty\n", fields, empty);
    return 0;
}
