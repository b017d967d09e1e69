/* What the tests of wide characters share: model.h, four bytes at a time. */
#ifndef WIDE_H
#define WIDE_H

#include "model.h"
#include <wchar.h>

enum { WIDTH = sizeof(wchar_t) };

/* Of few characters, so that searches find something; some end early, and some are large. */
static inline void WIDE(unsigned char *to, size_t n)
{
    static const wchar_t *const alphabets[] = {L"ab", L"aAbB", L"abc ,;:-_", L"World 0123", L"\u00e9\u00c9a\u20ac\U0001f600", L"\u03b1\u0391\u0430b"};
    const wchar_t *alphabet = alphabets[pick(6)];
    for (size_t i = 0; i + WIDTH <= n; i += WIDTH) {
        unsigned odd = pick(40);
        uint32_t c = odd == 0 ? 0 : odd == 1 ? random_next() : odd == 2 ? random_next() % 0x120000 : (uint32_t)alphabet[pick(wcslen(alphabet))];
        memcpy(to + i, &c, WIDTH);
    }
}

/* Room in buffer K, where a wide character may be. */
static inline wchar_t *wide_room(int k)
{
    uintptr_t at = (uintptr_t)room(k);
    return (wchar_t *)((at + WIDTH - 1) / WIDTH * WIDTH);
}

/* N characters of the input in buffer K. */
static inline wchar_t *wides(int k, const unsigned char *from, size_t n)
{
    wchar_t *to = wide_room(k);
    for (size_t i = 0; i < n * WIDTH; i++)
        ((unsigned char *)to)[i] = from[i];
    return to;
}

/* The same as a string. */
static inline wchar_t *wide_text(int k, const unsigned char *from, size_t n)
{
    wchar_t *to = wides(k, from, n);
    to[n] = 0;
    return to;
}

static inline wchar_t wide_at(const unsigned char *in)
{
    return number(in, WIDTH);
}

#endif
