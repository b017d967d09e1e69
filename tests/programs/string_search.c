// Searches in the input, with places and distances that decide: strchr and its
// relatives, memchr from both ends, spans of sets, texts in texts.
//~ STDIN: "name = Gim; size=42; mode=0x1f"
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static void at(const char *what, const char *place, const char *base, long wanted)
{
    if (!place)
        printf("no %s\n", what);
    else if (place - base == wanted)
        printf("%s at %ld\n", what, wanted);
    else
        printf("%s elsewhere\n", what);
}

int main(void)
{
    char in[31] = {0};
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    at("first =", strchr(in, '='), in, 5);
    at("index", index(in + 6, in[5]), in, 16);
    at("last =", strrchr(in, '='), in, 25);
    at("rindex", rindex(in, 'G'), in, 7);
    at("end", strchr(in, 0), in, 30);
    at("last end", strrchr(in, 0), in, 30);
    at("colon or end", strchrnul(in, ':'), in, 30);
    at("semicolon", memchr(in, ';', 12), in, 10);
    at("last semicolon", memrchr(in, ';', 30), in, 19);
    at("no x among four", memchr(in, 'x', 4), in, 0);
    at("the eighth", rawmemchr(in, in[7]), in, 7);
    at("separator", strpbrk(in, ";:,"), in, 10);
    at("size", strstr(in, "size="), in, 12);
    at("mode", strcasestr(in, "MODE"), in, 21);
    at("42", memmem(in, 30, "42", 2), in, 17);
    at("nothing", strstr(in, ""), in, 0);
    if (strspn(in, "aemn") == 4)
        puts("letters of name");
    if (strcspn(in, " =") == 4)
        puts("blank or sign");
    if (strnlen(in, 8) == 8)
        puts("eight at least");
    return 0;
}
