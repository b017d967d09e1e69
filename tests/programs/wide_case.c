// Wide characters without regard to case, and how wide they are in print.
//~ STDIN: "c\xc3\x89z\xe2\x82\xac"
#define _XOPEN_SOURCE 700
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

int main(void)
{
    char in[8] = {0};
    wchar_t text[8];
    if (read(0, in, sizeof in - 1) < 0 || !setlocale(LC_ALL, "C.UTF-8"))
        return 2;
    if (mbstowcs(text, in, 8) == (size_t)-1) {
        puts("wrong");
        return 1;
    }
    if (wcsncasecmp(text, L"C\u00e9", 2) == 0)
        puts("c\u00e9");
    if (wcscasecmp(text, L"C\u00c9Z\u20ac") == 0)
        puts("all");
    printf("%d columns\n", wcswidth(text, 8) < 0 ? -1 : 0);
    if (wcwidth(text[1]) == 1)
        puts("one column");
    return 0;
}
