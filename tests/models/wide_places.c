// Strings of wide characters whose terminators are input, in memory that is a known object, and in memory that is none.
#include "wide.h"

enum { SIZE = 640 };

/* Room that no allocator made: it is no object that the runtime knows. */
static wchar_t *unknown(void)
{
    static wchar_t *room;
    if (!room)
        room = (wchar_t *)(((uintptr_t)sbrk((2 * SIZE + 1) * WIDTH) + WIDTH - 1) / WIDTH * WIDTH);
    return room;
}

/* Text, then concrete letters, then an end: a string may be longer than a window of the models. A character is a byte of
 * the input. */
static wchar_t *place(int half, const unsigned char *in, size_t n)
{
    static wchar_t known[2 * SIZE];
    wchar_t *to = (pick(2) ? known : unknown()) + half * SIZE;
    size_t end = pick(4) ? n + pick(8) : SIZE - 1 - pick(100);
    for (size_t i = 0; i < end; i++)
        to[i] = i < n ? in[i] : L'a';
    for (size_t i = end; i < SIZE; i++)
        to[i] = 0;
    /* Some of the input at the end of a long one. */
    for (size_t i = 0; i < 8 && i < n && end > 200; i++)
        to[end - 40 + i] = in[i];
    return to;
}

/* Most terminators are symbolic here. */
static inline void ENDS(unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = pick(8) ? "abAB"[pick(4)] : 0;
}

#define PLACES(function) CASES_AS(places_##function, #function, ENDS, 24)

PLACES(wcslen) { see_number(wcslen(place(0, in, 20))); }
PLACES(wcsnlen) { see_number(wcsnlen(place(0, in, 20), pick(2) ? 15 : 600)); }

PLACES(wcschr)
{
    wchar_t *s = place(0, in, 20);
    see_place(wcschr(s, pick(2) ? in[20] : L'b'), s);
}

PLACES(wcschrnul)
{
    wchar_t *s = place(0, in, 20);
    see_place(wcschrnul(s, pick(2) ? in[20] : L'B'), s);
}

PLACES(wcsrchr)
{
    wchar_t *s = place(0, in, 20);
    see_place(wcsrchr(s, pick(2) ? in[20] : L'b'), s);
}

PLACES(wmemchr)
{
    wchar_t *s = place(0, in, 20);
    see_place(wmemchr(s, pick(2) ? in[20] : L'b', pick(2) ? 12 : SIZE), s);
}

PLACES(wcsspn)
{
    wchar_t *s = place(0, in, 20);
    see_number(wcsspn(s, pick(2) ? L"ab" : place(1, in + 20, 3)));
}

PLACES(wcscspn)
{
    wchar_t *s = place(0, in, 20);
    see_number(wcscspn(s, pick(2) ? L"AB" : place(1, in + 20, 3)));
}

PLACES(wcspbrk)
{
    wchar_t *s = place(0, in, 20);
    see_place(wcspbrk(s, pick(2) ? L"b" : place(1, in + 20, 3)), s);
}

PLACES(wcsstr)
{
    wchar_t *s = place(0, in, 20);
    see_place(wcsstr(s, pick(2) ? L"ab" : place(1, in + 20, 3)), s);
}

#define COMPARE(name, ...)                                                   \
    PLACES(name)                                                             \
    {                                                                        \
        wchar_t *a = place(0, in, 12), *b = place(1, in + 12 * pick(2), 12); \
        see_number(name(a, pick(3) ? b : L"abABab" __VA_ARGS__));            \
    }
COMPARE(wcscmp)
COMPARE(wcscasecmp)
COMPARE(wcscoll)
COMPARE(wcsncmp, , 8)
COMPARE(wcsncasecmp, , 300)

PLACES(wmemcmp)
{
    wchar_t *a = place(0, in, 12), *b = place(1, in + 12 * pick(2), 12);
    see_number(wmemcmp(a, b, pick(2) ? 8 : SIZE));
}

PLACES(wcsdup)
{
    wchar_t *copy = wcsdup(place(0, in, 20));
    see_number(copy[0]);
    free(copy);
}

PLACES(wcscpy)
{
    static wchar_t copy[SIZE];
    wcscpy(copy, place(0, in, 20));
    see(copy, 24 * WIDTH, "copy");
}
