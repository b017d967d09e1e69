// A setting in wide characters: its name without regard to case, a number, and a text that goes back to bytes without
// carriage returns, as dos2unix does it.
//~ STDIN: "name=1000,\xe2\x86\x92\r\n"
//~ FINDS: assertion store
//~ SOLUTION: "SIZE=4711,\xe2\x82\xac\r\n"
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void store(const wchar_t *name, long number, const char *text)
{
    if (wcscasecmp(name, L"size") == 0 && number == 4711)
        assert(strncmp(text, "\xe2\x82\xac", 3) != 0); //~ HERE
}

int main(void)
{
    char line[32], text[32];
    wchar_t wide[32], *end;
    if (!setlocale(LC_ALL, "C.UTF-8") || !fgets(line, sizeof line, stdin))
        return 1;
    size_t n = mbstowcs(wide, line, 32);
    if (n == (size_t)-1)
        return 1;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (wide[i] != L'\r' && wide[i] != L'\n')
            wide[kept++] = wide[i];
    wide[kept] = 0;
    wchar_t *equals = wmemchr(wide, L'=', kept);
    if (!equals)
        return 1;
    *equals = 0;
    long number = wcstol(equals + 1, &end, 10);
    if (*end != L',')
        return 1;
    size_t n_bytes = wcstombs(text, end + 1, sizeof text);
    if (n_bytes == (size_t)-1)
        return 1;
    text[n_bytes] = 0;
    store(wide, number, text);
    return 0;
}
