// Searches in strings of wide characters, with places and distances that decide.
//~ STDIN: "name=\xe9t\xe9;size=42"
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

static void at(const char *what, const wchar_t *place, const wchar_t *base, long wanted)
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
    unsigned char in[16];
    wchar_t text[17] = {0};
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    for (size_t i = 0; i < sizeof in; i++)
        text[i] = in[i];

    at("first =", wcschr(text, L'='), text, 4);
    at("last =", wcsrchr(text, L'='), text, 13);
    at("bar or end", wcschrnul(text, L'|'), text, 16);
    at("separator", wcspbrk(text, L";:,"), text, 8);
    at("size", wcsstr(text, L"size="), text, 9);
    at("t", wmemchr(text, L't', 8), text, 6);
    at("the fourth", wmemchr(text, text[3], 4), text, 3);
    if (wcslen(text) == 16)
        puts("no end");
    if (wcsnlen(text, 5) == 5)
        puts("five at least");
    if (wcsspn(text, L"naem") == 4)
        puts("letters of name");
    if (wcscspn(text, L"\u00e9") == 5)
        puts("accent");
    return 0;
}
