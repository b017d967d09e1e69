// Strings of wide characters: comparisons, copies, tokens and numbers.
//~ STDIN: "Ab=42;cd"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

static const char *order(int v)
{
    return v < 0 ? "before" : v > 0 ? "after" : "equal";
}

int main(void)
{
    unsigned char in[8];
    wchar_t text[9] = {0}, copy[40], *rest = NULL;
    if (read(0, in, sizeof in) != sizeof in)
        return 1;
    for (size_t i = 0; i < sizeof in; i++)
        text[i] = in[i];

    puts(order(wcscmp(text, L"Ab=42;cf")));
    puts(order(wcsncmp(text, L"Ac", 2)));
    puts(order(wmemcmp(text, text + 2, 2)));
    puts(order(wcscoll(text + 6, L"c")));

    wcscpy(copy, text);
    wcscat(copy, L"!");
    wcsncat(copy, text, 2);
    wmemset(copy + 20, copy[0], 3);
    wmemmove(copy + 21, copy + 20, 2);
    if (copy[10] == L'b' && copy[22] == L'A')
        puts("copied");

    wchar_t *token = wcstok(text, L";", &rest);
    if (token && wcstol(token + 3, NULL, 10) == 42)
        puts("42");
    token = wcstok(NULL, L";", &rest);
    if (token && wcscmp(token, L"cd") == 0)
        puts("cd");
    return 0;
}
