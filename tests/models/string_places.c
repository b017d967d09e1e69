// Strings whose terminators are input, in memory that is a known object, and in
// memory that is none.
#include "model.h"
#include <strings.h>

enum { SIZE = 640 };

/* Room that no allocator made: it is no object that the runtime knows. */
static char *unknown(void)
{
    static char *room;
    if (!room)
        room = sbrk(2 * SIZE);
    return room;
}

/* Text, then concrete letters, then an end: a string may be longer than a window of the models. */
static char *place(int half, const unsigned char *in, size_t n)
{
    static char known[2 * SIZE];
    char *to = (pick(2) ? known : unknown()) + half * SIZE;
    size_t end = pick(4) ? n + pick(8) : SIZE - 1 - pick(100);
    for (size_t i = 0; i < end; i++)
        to[i] = i < n ? in[i] : 'a';
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

PLACES(strlen) { see_number(strlen(place(0, in, 20))); }
PLACES(strnlen) { see_number(strnlen(place(0, in, 20), pick(2) ? 15 : 600)); }

PLACES(strchr)
{
    char *s = place(0, in, 20);
    see_place(strchr(s, pick(2) ? in[20] : 'b'), s);
}

PLACES(strchrnul)
{
    char *s = place(0, in, 20);
    see_place(strchrnul(s, pick(2) ? in[20] : 'B'), s);
}

PLACES(strrchr)
{
    char *s = place(0, in, 20);
    see_place(strrchr(s, pick(2) ? in[20] : 'b'), s);
}

PLACES(memchr)
{
    char *s = place(0, in, 20);
    see_place(memchr(s, pick(2) ? in[20] : 'b', pick(2) ? 12 : SIZE), s);
}

PLACES(memrchr)
{
    char *s = place(0, in, 20);
    see_place(memrchr(s, pick(2) ? in[20] : 'b', pick(2) ? 12 : SIZE), s);
}

PLACES(strspn)
{
    char *s = place(0, in, 20);
    see_number(strspn(s, pick(2) ? "ab" : place(1, in + 20, 3)));
}

PLACES(strcspn)
{
    char *s = place(0, in, 20);
    see_number(strcspn(s, pick(2) ? "AB" : place(1, in + 20, 3)));
}

PLACES(strpbrk)
{
    char *s = place(0, in, 20);
    see_place(strpbrk(s, pick(2) ? "b" : place(1, in + 20, 3)), s);
}

PLACES(strstr)
{
    char *s = place(0, in, 20);
    see_place(strstr(s, pick(2) ? "ab" : place(1, in + 20, 3)), s);
}

PLACES(strcasestr)
{
    char *s = place(0, in, 20);
    see_place(strcasestr(s, pick(2) ? "bb" : place(1, in + 20, 3)), s);
}

PLACES(memmem)
{
    char *s = place(0, in, 20);
    see_place(memmem(s, SIZE, in + 20, pick(4)), s);
}

#define COMPARE(name, ...)                                                   \
    PLACES(name)                                                             \
    {                                                                        \
        char *a = place(0, in, 12), *b = place(1, in + 12 * pick(2), 12);    \
        see_number(name(a, pick(3) ? b : "abABab" __VA_ARGS__));             \
    }
COMPARE(strcmp)
COMPARE(strcasecmp)
COMPARE(strcoll)
COMPARE(strncmp, , 8)
COMPARE(strncasecmp, , 300)

PLACES(memcmp)
{
    char *a = place(0, in, 12), *b = place(1, in + 12 * pick(2), 12);
    see_number(memcmp(a, b, pick(2) ? 8 : SIZE));
}

PLACES(strdup)
{
    char *copy = strdup(place(0, in, 20));
    see_number(copy[0]);
    free(copy);
}

PLACES(strcpy)
{
    static char copy[SIZE];
    strcpy(copy, place(0, in, 20));
    see(copy, 24, "copy");
}
