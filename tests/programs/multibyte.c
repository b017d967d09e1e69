// Words of UTF-8 as programs for any locale read them: mbrlen and mbrtowc in a loop, classes of wide characters.
//~ STDIN: "a\xc3\xa9\xe2\x82\xac \xf0\x9f\x8d\xb8Z\xcf\x89\xc3"
#include <locale.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

int main(void)
{
    char in[32];
    ssize_t n = read(0, in, sizeof in);
    if (n < 0 || !setlocale(LC_ALL, "C.UTF-8"))
        return 2;
    int words = 0, in_word = 0, upper = 0, euro = 0, wrong = 0;
    mbstate_t state = {0};
    for (ssize_t at = 0; at < n;) {
        wchar_t wide;
        size_t length = mbrtowc(&wide, in + at, n - at, &state);
        if (length == (size_t)-2) {
            puts("cut off");
            break;
        }
        if (length == (size_t)-1) {
            state = (mbstate_t){0};
            wrong++;
            at++;
            continue;
        }
        at += length ? length : 1;
        if (iswspace(wide))
            in_word = 0;
        else if (!in_word)
            in_word = 1, words++;
        if (iswupper(wide))
            upper++;
        if (wide == 0x20ac)
            euro++;
    }
    printf("%d words, %d upper, %d euro, %d wrong\n", words, upper, euro, wrong);
    return 0;
}
