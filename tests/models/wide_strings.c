// Strings of wide characters: lengths, searches, comparisons, tokens and numbers.
#include "wide.h"
#include <inttypes.h>

enum { CHARS = 16 };

CASES(wcslen, WIDE, CHARS * WIDTH) { see_number(wcslen(wide_text(0, in, pick(CHARS + 1)))); }
CASES(wcsnlen, WIDE, CHARS * WIDTH + 1)
{
    size_t n = pick(8) ? size_below(32, in + CHARS * WIDTH) : SIZE_MAX >> pick(4);
    see_number(wcsnlen(wide_text(0, in, pick(CHARS + 1)), n));
}

/* What to look for: mostly something of the input. */
static wchar_t wanted(const unsigned char *in)
{
    switch (pick(4)) {
    case 0:
        return L"ab\0\u20ac"[pick(4)];
    case 1:
        return wide_at(in) & 0xff;
    default:
        return wide_at(in);
    }
}

#define SEARCH_STRING(name)                                                  \
    CASES(name, WIDE, (CHARS + 1) * WIDTH)                                   \
    {                                                                        \
        wchar_t *s = wide_text(0, in, pick(CHARS + 1));                      \
        see_place(name(s, wanted(in + CHARS * WIDTH)), s);                   \
        see_errno();                                                         \
    }
SEARCH_STRING(wcschr)
SEARCH_STRING(wcschrnul)
SEARCH_STRING(wcsrchr)

CASES(wmemchr, WIDE, (CHARS + 1) * WIDTH + 1)
{
    wchar_t *s = wides(0, in, CHARS);
    see_place(wmemchr(s, wanted(in + CHARS * WIDTH), size_below(16, in + (CHARS + 1) * WIDTH)), s);
}

#define SEARCH_IN(name)                                                      \
    CASES(name, WIDE, CHARS * WIDTH)                                         \
    {                                                                        \
        wchar_t *s = wide_text(0, in, pick(CHARS - 3)), *part = wide_text(1, in + (CHARS - 4) * WIDTH, pick(4)); \
        if (pick(4) == 0)                                                    \
            part = (wchar_t *)L"ab";                                         \
        see_place(name(s, part), s);                                         \
    }
SEARCH_IN(wcsstr)
SEARCH_IN(wcspbrk)

#define SPAN(name)                                                           \
    CASES(name, WIDE, CHARS * WIDTH)                                         \
    {                                                                        \
        wchar_t *s = wide_text(0, in, pick(CHARS - 3)), *set = wide_text(1, in + (CHARS - 4) * WIDTH, pick(4)); \
        see_number(name(s, pick(4) ? set : L"aA \u00e9"));                   \
    }
SPAN(wcsspn)
SPAN(wcscspn)

/* More members than neighbours: as many stretches as there is room for, and some. */
CASES_AS(wcsspn_many, "wcsspn", WIDE, 12 * WIDTH)
{
    static wchar_t many[400];
    for (int i = 0; i < 399; i++)
        many[i] = i % 2 ? 600 - i : 1 + i * 3;
    see_number(wcsspn(wide_text(0, in, pick(13)), many));
}

#define COMPARE(name, kind, ...)                                             \
    CASES(name, kind, 2 * 12 * WIDTH)                                        \
    {                                                                        \
        wchar_t *a = wide_text(0, in, pick(13)), *b = wide_text(1, in + 12 * WIDTH * pick(2), pick(13)); \
        see_number(name(a, pick(3) ? b : L"abABab" __VA_ARGS__));            \
        see_errno();                                                         \
    }
COMPARE(wcscmp, WIDE)
COMPARE(wcscoll, WIDE)
COMPARE(wcscasecmp, WIDE)
COMPARE(wcsncmp, WIDE, , size_below(16, in))
COMPARE(wcsncasecmp, WIDE, , size_below(16, in))

CASES(wmemcmp, WIDE, 2 * 12 * WIDTH)
{
    wchar_t *a = wides(0, in, 12), *b = wides(1, in + 12 * WIDTH * pick(2), 12);
    b[pick(12)] = pick(2) ? wide_at(in + 8) : L'a';
    see_number(wmemcmp(a, b, pick(13)));
}

CASES(wcstok, WIDE, 12 * WIDTH)
{
    wchar_t *s = wide_text(0, in, pick(11)), *rest = NULL;
    wchar_t *set = wide_text(1, in + 10 * WIDTH, 1 + pick(2));
    wchar_t *token = wcstok(s, set, &rest);
    for (int i = 0; i < 3; i++) {
        see_place(token, s);
        see_place(rest, s);
        if (!token)
            break;
        token = wcstok(NULL, set, &rest);
    }
    see_buffer(0);
}

/* A number, each character of a byte of the input; blanks of all kinds before it. */
static wchar_t *number_text(const unsigned char *in, size_t n)
{
    wchar_t *to = wide_room(0);
    for (size_t i = 0; i < n; i++)
        to[i] = in[i];
    to[n] = 0;
    if (n && pick(4) == 0)
        to[0] = L"\u2003\u00a0\u3000\u0660"[pick(4)] + (in[0] & 1);
    return to;
}

#define INTEGER(name)                                                        \
    CASES(name, NUMBER, 16)                                                  \
    {                                                                        \
        static const int bases[] = {10, 0, 16, 8, 2, 36, 1, 7};              \
        wchar_t *s = number_text(in, 16), *end = NULL;                       \
        see_number(name(s, pick(5) ? &end : NULL, bases[pick(8)]));          \
        see_place(end, s);                                                   \
        see_errno();                                                         \
    }
INTEGER(wcstol)
INTEGER(wcstoul)
INTEGER(wcstoll)
INTEGER(wcstoull)
INTEGER(wcstoimax)
INTEGER(wcstoumax)

CASES(wcwidth, WIDE, WIDTH) { see_number(wcwidth(wide_at(in))); }
CASES(wcswidth, WIDE, 8 * WIDTH) { see_number(wcswidth(wide_text(0, in, pick(9)), pick(9))); }
