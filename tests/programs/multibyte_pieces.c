// A character at a time from bytes that come one by one: what mbrtowc has of a character is in its state. In the locale
// "C" a byte is a character.
//~ STDIN: "\xe2\x82\xac\xc3\xa9x"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

int main(void)
{
    char in[8];
    ssize_t n = read(0, in, sizeof in);
    if (n < 1 || !setlocale(LC_ALL, "C"))
        return 2;
    printf("%d %d\n", mblen(in + n - 1, 1), btowc(in[n - 1]) == L'x');
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 2;
    mbstate_t state = {0};
    for (ssize_t at = 0; at < n; at++) {
        wchar_t wide;
        size_t length = mbrtowc(&wide, in + at, 1, &state);
        if (length == (size_t)-2) {
            puts(mbsinit(&state) ? "begins" : "goes on");
        } else if (length == (size_t)-1) {
            puts("wrong");
            state = (mbstate_t){0};
        } else {
            puts(wide == 0x20ac ? "euro" : wide == L'\u00e9' ? "e" : "other");
        }
    }
    return 0;
}
