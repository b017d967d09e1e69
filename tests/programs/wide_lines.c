// Lines of any locale with other ends, as dos2unix converts them: in wide characters, and back to bytes one at a time and
// as a string.
//~ STDIN: "\xc3\xa9\r\n\xe2\x82\xac"
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int main(void)
{
    char in[8] = {0}, out[40] = {0}, one[MB_LEN_MAX];
    wchar_t text[8], unix_text[8];
    if (read(0, in, sizeof in - 1) < 0 || !setlocale(LC_ALL, "C.UTF-8"))
        return 2;
    const char *from = in;
    mbstate_t state = {0};
    size_t n = mbsrtowcs(text, &from, 8, &state);
    if (n == (size_t)-1) {
        printf("wrong at %td\n", from - in);
        return 1;
    }
    size_t kept = 0, n_ends = 0, n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == L'\r' && text[i + 1] == L'\n') {
            n_ends++;
            continue;
        }
        unix_text[kept++] = text[i];
        size_t length = wcrtomb(one, text[i], &state);
        if (length == 3 && memcmp(one, "\xe2\x82\xac", 3) == 0)
            puts("euro");
        n_bytes += length;
    }
    unix_text[kept] = 0;
    if (wcstombs(out, unix_text, sizeof out) != n_bytes)
        puts("lengths differ");
    if (strncmp(out, "\xc3\xa9\n", 3) == 0)
        puts("e");
    if (wctomb(one, text[0] + 0x100) == 2 && one[1] == (char)0xa3)
        puts("two bytes");
    if (wcswidth(unix_text, kept) < 0)
        puts("not all is printed");
    printf("%zu ends, %zu characters\n", n_ends, kept);
    return 0;
}
