// A word of wide characters, of which one has several bytes.
//~ STDIN: "caf\xc3\xa9s\n"
//~ FINDS: abort greet
//~ SOLUTION: "men\xc3\xbcs\n"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void greet(const wchar_t *word)
{
    if (wcscmp(word, L"men\u00fcs") == 0)
        abort(); //~ HERE
}

int main(void)
{
    char line[16];
    wchar_t word[16];
    if (!setlocale(LC_ALL, "C.UTF-8") || !fgets(line, sizeof line, stdin))
        return 1;
    line[strcspn(line, "\n")] = 0;
    if (mbstowcs(word, line, 16) == (size_t)-1) {
        puts("not UTF-8");
        return 1;
    }
    greet(word);
    return 0;
}
