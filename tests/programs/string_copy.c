// Copies of strings in the input: the bytes stay input, and their lengths are
// what they were.
//~ STDIN: "alpha\0beta,gamma\0delta\0"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static void say(const char *what, const char *text, char first)
{
    if (text[0] == first) {
        printf("%s begins so\n", what);
        if (text[1] > 'd')
            printf("%s goes on late\n", what);
    }
}

int main(void)
{
    char in[24] = {0}, copy[64] = "", field[8], joined[64] = "<";
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    say("strcpy", strcpy(copy, in), 'a');
    char *end = stpcpy(copy, in + 6);
    *end = '!';
    say("stpcpy", copy, 'b');
    say("strncpy", strncpy(field, in, 8), 'a');
    if (field[7])
        puts("full");
    if (stpncpy(field, in + 6, 3) == field + 3)
        say("stpncpy", field, 'b');
    say("strcat", strcat(joined, in) + 1, 'a');
    say("strncat", strncat(joined, in + 6, 4) + 6, 'b');
    if (strlen(joined) == 10 && joined[9] == 'a')
        puts("joined");

    char *whole = strdup(in + 6), *part = strndup(in + 17, 3);
    if (whole && part) {
        say("strdup", whole, 'b');
        say("strndup", part, 'd');
        if (strlen(part) == 3 && strchr(whole, ',') == whole + 4)
            puts("copies");
    }
    free(whole);
    free(part);

    if (mempcpy(copy, in + 17, 5) == copy + 5)
        say("mempcpy", copy, 'd');
    char *behind = memccpy(copy, in + 6, ',', 17);
    if (behind && behind[-1] == ',')
        printf("up to the comma: %d\n", (int)(behind - copy));
    bcopy(in, in + 1, 5);
    say("bcopy", in, 'a');
    bzero(in, 2);
    if (in[0] || in[2] == 'l')
        puts("cleared");
    return 0;
}
