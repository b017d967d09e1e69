#ifndef UTF8_H
#define UTF8_H

#include "model.h"

/* Characters of one to four bytes, some of them spoiled. */
static void UTF8(unsigned char *to, size_t n)
{
    static const char *const some[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "Z", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xf0\x80\x80\x80", "\xfa\x80\x80\x80\x80", "\xfd\x80\x80\x80\x80\x80"};
    const char *rest = "";
    for (size_t i = 0; i < n; i++) {
        if (!*rest)
            rest = some[pick(3) ? pick(5) : pick(12)];
        to[i] = pick(24) ? (unsigned char)*rest : pick(256);
        rest++;
    }
}

#endif
