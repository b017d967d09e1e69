// Copies and fills of wide characters.
#include "wide.h"

wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmempcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);
wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcpcpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcpncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncat_chk(wchar_t *, const wchar_t *, size_t, size_t);

/* Characters that there is room for. */
#define ROOM_LEFT 17

#define COPY(name, ...)                                                      \
    CASES(name, WIDE, 16 * WIDTH + 1)                                        \
    {                                                                        \
        wchar_t *from = wides(0, in, 16), *to = wide_room(1);                \
        if (pick(3) == 0)                                                    \
            to = wides(1, in + 8 * WIDTH, 8);                                \
        see_place(name(to, from, size_below(16, in + 16 * WIDTH) __VA_ARGS__), to); \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY(wmemcpy)
COPY(wmempcpy)
COPY(__wmemcpy_chk, , ROOM_LEFT)
COPY(__wmempcpy_chk, , ROOM_LEFT)

#define MOVE(name, ...)                                                      \
    CASES(name, WIDE, 16 * WIDTH + 1)                                        \
    {                                                                        \
        wchar_t *base = wides(0, in, 16), *from = base + pick(9), *to = base + pick(9); \
        see_place(name(to, from, size_below(8, in + 16 * WIDTH) __VA_ARGS__), base); \
        see_buffer(0);                                                       \
    }
MOVE(wmemmove)
MOVE(__wmemmove_chk, , ROOM_LEFT)

#define FILL(name, ...)                                                      \
    CASES(name, WIDE, 13 * WIDTH + 1)                                        \
    {                                                                        \
        wchar_t *to = wides(0, in, 12), c = pick(3) ? wide_at(in + 12 * WIDTH) : (wchar_t)pick(300); \
        see_place(name(to, c, size_below(16, in + 13 * WIDTH) __VA_ARGS__), to); \
        see_buffer(0);                                                       \
    }
FILL(wmemset)
FILL(__wmemset_chk, , ROOM_LEFT)

#define COPY_STRING(name, ...)                                               \
    CASES(name, WIDE, 16 * WIDTH)                                            \
    {                                                                        \
        wchar_t *from = wide_text(0, in, pick(13)), *to = wide_room(1);      \
        if (pick(3) == 0)                                                    \
            to = wide_text(1, in + 8 * WIDTH, 8);                            \
        see_place(name(to, from __VA_ARGS__), to);                           \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY_STRING(wcscpy)
COPY_STRING(wcpcpy)
COPY_STRING(__wcscpy_chk, , ROOM_LEFT)
COPY_STRING(__wcpcpy_chk, , ROOM_LEFT)

#define COPY_PREFIX(name, ...)                                               \
    CASES(name, WIDE, 16 * WIDTH + 1)                                        \
    {                                                                        \
        wchar_t *from = wide_text(0, in, pick(13)), *to = wide_room(1);      \
        if (pick(3) == 0)                                                    \
            to = wide_text(1, in + 8 * WIDTH, 8);                            \
        see_place(name(to, from, size_below(16, in + 16 * WIDTH) __VA_ARGS__), to); \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY_PREFIX(wcsncpy)
COPY_PREFIX(wcpncpy)
COPY_PREFIX(__wcsncpy_chk, , ROOM_LEFT)
COPY_PREFIX(__wcpncpy_chk, , ROOM_LEFT)

#define APPEND(name, ...)                                                    \
    CASES(name, WIDE, 16 * WIDTH)                                            \
    {                                                                        \
        wchar_t *from = wide_text(0, in, pick(9)), *to = wide_text(1, in + 8 * WIDTH, pick(9)); \
        see_place(name(to, from __VA_ARGS__), to);                           \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
APPEND(wcscat)
APPEND(__wcscat_chk, , ROOM_LEFT)

#define APPEND_PREFIX(name, ...)                                             \
    CASES(name, WIDE, 16 * WIDTH + 1)                                        \
    {                                                                        \
        wchar_t *from = wide_text(0, in, pick(9)), *to = wide_text(1, in + 8 * WIDTH, pick(9)); \
        see_place(name(to, from, size_below(16, in + 16 * WIDTH) __VA_ARGS__), to); \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
APPEND_PREFIX(wcsncat)
APPEND_PREFIX(__wcsncat_chk, , ROOM_LEFT)

CASES(wcsdup, WIDE, 12 * WIDTH)
{
    wchar_t *copy = wcsdup(wide_text(0, in, pick(13)));
    see(copy, (wcslen(copy) + 1) * WIDTH, "copy");
    free(copy);
    see_buffer(0);
}
