// Strings of characters of several bytes that become wide, and back.
#include "wide.h"
#include "utf8.h"

size_t __mbstowcs_chk(wchar_t *, const char *, size_t, size_t);
size_t __mbsrtowcs_chk(wchar_t *, const char **, size_t, mbstate_t *, size_t);
size_t __mbsnrtowcs_chk(wchar_t *, const char **, size_t, size_t, mbstate_t *, size_t);
size_t __wcrtomb_chk(char *, wchar_t, mbstate_t *, size_t);
int __wctomb_chk(char *, wchar_t, size_t);
size_t __wcstombs_chk(char *, const wchar_t *, size_t, size_t);
size_t __wcsrtombs_chk(char *, const wchar_t **, size_t, mbstate_t *, size_t);
size_t __wcsnrtombs_chk(char *, const wchar_t **, size_t, size_t, mbstate_t *, size_t);

enum { BYTES_IN = 12, WIDES_IN = 8 };

/* Mostly all of it. */
static size_t room_for(size_t n, const unsigned char *in)
{
    return pick(3) ? n : size_below(8, in);
}

/* More ASCII than UTF8 has: several bytes are none in the locale "C". */
static void MIXED(unsigned char *to, size_t n)
{
    (pick(3) ? TEXT : UTF8)(to, n);
    if (pick(3) == 0)
        UTF8(to, n);
}

/* Characters of all sizes, few of which can't be encoded. */
static void CODES(unsigned char *to, size_t n)
{
    static const uint32_t limits[] = {0x80, 0x80, 0x800, 0x10000, 0x110000, 0x80000000, 0};
    unsigned mode = pick(3);
    for (size_t i = 0; i + WIDTH <= n; i += WIDTH) {
        uint32_t limit = limits[mode ? pick(4) * (mode - 1) : pick(7)];
        uint32_t c = limit ? random_next() % limit : pick(2) ? 0xd7f0 + pick(0x820) : 0xe0000 + pick(0x100);
        if (pick(30) == 0)
            c = 0;
        memcpy(to + i, &c, WIDTH);
    }
}

#define TO_WIDE(name, ...)                                                   \
    CASES(name, MIXED, BYTES_IN + 1)                                         \
    {                                                                        \
        const char *from = text(0, in, pick(BYTES_IN + 1));                  \
        wchar_t *to = wide_room(1);                                          \
        size_t n = room_for(16, in + BYTES_IN);                              \
        see_number(name(pick(6) ? to : NULL, from, n __VA_ARGS__));          \
        see_buffer(1);                                                       \
        see_errno();                                                         \
    }
TO_WIDE(mbstowcs)
TO_WIDE(__mbstowcs_chk, , 17)

/* A part of a character may come first. */
#define TO_WIDE_ON(name, limit, ...)                                         \
    CASES(name, MIXED, BYTES_IN + 2)                                         \
    {                                                                        \
        const char *from = text(0, in, pick(BYTES_IN + 1)), *at = from;      \
        wchar_t *to = wide_room(1);                                          \
        mbstate_t state = {0};                                               \
        size_t n = room_for(16, in + BYTES_IN);                              \
        if (pick(3) == 0) {                                                  \
            size_t begun = mbrlen("\xf0\x9f\x98", pick(4), &state);          \
            if (pick(2))                                                     \
                begun = mbrlen(from, 1, &state);                             \
            if (begun == (size_t)-1)                                         \
                state = (mbstate_t){0};                                      \
        }                                                                    \
        if (pick(6) == 0)                                                    \
            to = NULL;                                                       \
        size_t got = name(to, &at, limit n, &state __VA_ARGS__);             \
        see_number(got);                                                     \
        see_place(at, from);                                                 \
        see(&state, sizeof state, "state");                                  \
        see_buffer(1);                                                       \
        see_errno();                                                         \
        if (got != (size_t)-1 && to && at) {                                 \
            see_number(name(to, &at, limit 9, &state __VA_ARGS__));          \
            see_place(at, from);                                             \
            see(&state, sizeof state, "state");                              \
            see_buffer(1);                                                   \
        }                                                                    \
    }
#define NOTHING
#define LIMIT pick(4) ? pick(6) : size_below(8, in + BYTES_IN + 1),
TO_WIDE_ON(mbsrtowcs, NOTHING)
TO_WIDE_ON(__mbsrtowcs_chk, NOTHING, , 17)
TO_WIDE_ON(mbsnrtowcs, LIMIT)
TO_WIDE_ON(__mbsnrtowcs_chk, LIMIT, , 17)

/* The states that the functions keep by themselves. */
CASES_AS(mbsrtowcs_own, "mbsrtowcs", MIXED, BYTES_IN)
{
    const char *from = text(0, in, pick(BYTES_IN + 1)), *at = from;
    wchar_t *to = wide_room(1);
    size_t n = pick(12);
    see_number(mbsrtowcs(to, &at, n, NULL));
    see_place(at, from);
    see_buffer(1);
}

#define ONE(name, ...)                                                       \
    CASES(name, CODES, WIDTH)                                                \
    {                                                                        \
        char *to = room(0);                                                  \
        see_number(name(pick(8) ? to : NULL, wide_at(in) __VA_ARGS__));      \
        see_buffer(0);                                                       \
        see_errno();                                                         \
    }
static mbstate_t *some_state(void)
{
    static mbstate_t state;
    state = (mbstate_t){0};
    return pick(2) ? &state : NULL;
}
ONE(wcrtomb, , some_state())
ONE(__wcrtomb_chk, , some_state(), 16)
ONE(wctomb)
ONE(__wctomb_chk, , 16)

#define TO_BYTES(name, ...)                                                  \
    CASES(name, CODES, WIDES_IN * WIDTH + 1)                                 \
    {                                                                        \
        const wchar_t *from = wide_text(0, in, pick(WIDES_IN + 1));          \
        char *to = room(1);                                                  \
        size_t n = room_for(50, in + WIDES_IN * WIDTH);                      \
        see_number(name(pick(6) ? to : NULL, from, n __VA_ARGS__));          \
        see_buffer(1);                                                       \
        see_errno();                                                         \
    }
TO_BYTES(wcstombs)
TO_BYTES(__wcstombs_chk, , 60)

#define TO_BYTES_ON(name, limit, ...)                                        \
    CASES(name, CODES, WIDES_IN * WIDTH + 2)                                 \
    {                                                                        \
        const wchar_t *from = wide_text(0, in, pick(WIDES_IN + 1)), *at = from; \
        char *to = room(1);                                                  \
        mbstate_t state = {0}, *kept = pick(2) ? &state : NULL;              \
        size_t n = room_for(50, in + WIDES_IN * WIDTH);                      \
        if (pick(6) == 0)                                                    \
            to = NULL;                                                       \
        size_t got = name(to, &at, limit n, kept __VA_ARGS__);               \
        see_number(got);                                                     \
        see_place(at, from);                                                 \
        see(&state, sizeof state, "state");                                  \
        see_buffer(1);                                                       \
        see_errno();                                                         \
        if (got != (size_t)-1 && to && at) {                                 \
            see_number(name(to, &at, limit 9, kept __VA_ARGS__));            \
            see_place(at, from);                                             \
            see_buffer(1);                                                   \
        }                                                                    \
    }
#undef LIMIT
#define LIMIT pick(4) ? pick(6) : size_below(8, in + WIDES_IN * WIDTH + 1),
TO_BYTES_ON(wcsrtombs, NOTHING)
TO_BYTES_ON(__wcsrtombs_chk, NOTHING, , 60)
TO_BYTES_ON(wcsnrtombs, LIMIT)
TO_BYTES_ON(__wcsnrtombs_chk, LIMIT, , 60)
