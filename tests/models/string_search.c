// Lengths and searches.
#include "model.h"

void *__rawmemchr(const void *, int);
char *__strcasestr(const char *, const char *);
char *__strsep_g(char **, const char *);

CASES(strlen, TEXT, 24) { see_number(strlen(text(0, in, pick(25)))); }
CASES(strnlen, TEXT, 25)
{
    size_t n = size_below(32, in + 24);
    see_number(strnlen(text(0, in, pick(25)), n));
}

/* What to look for: mostly something of the input. */
static int wanted(const unsigned char *in)
{
    switch (pick(4)) {
    case 0:
        return "ab\0e"[pick(4)];
    case 1:
        return (signed char)*in;
    case 2:
        return *in | 0x100;
    default:
        return *in;
    }
}

#define SEARCH_STRING(name)                                                  \
    CASES(name, TEXT, 25)                                                    \
    {                                                                        \
        char *s = text(0, in, pick(25));                                     \
        see_place(name(s, wanted(in + 24)), s);                              \
        see_errno();                                                         \
    }
SEARCH_STRING(strchr)
SEARCH_STRING(strchrnul)
SEARCH_STRING(strrchr)
SEARCH_STRING(index)
SEARCH_STRING(rindex)

#define SEARCH_BYTES(name)                                                   \
    CASES(name, TEXT, 26)                                                    \
    {                                                                        \
        unsigned char *s = bytes(0, in, 24);                                 \
        see_place(name(s, wanted(in + 24), size_below(16, in + 25)), s);     \
    }
SEARCH_BYTES(memchr)
SEARCH_BYTES(memrchr)

#define SEARCH_UNTIL_FOUND(name)                                             \
    CASES(name, TEXT, 25)                                                    \
    {                                                                        \
        int c = wanted(in + 24);                                             \
        unsigned char *s = bytes(0, in, 24);                                 \
        s[24] = c;                                                           \
        see_place(name(s, c), s);                                            \
    }
SEARCH_UNTIL_FOUND(rawmemchr)
SEARCH_UNTIL_FOUND(__rawmemchr)

#define SEARCH_IN(name)                                                      \
    CASES(name, TEXT, 27)                                                    \
    {                                                                        \
        char *s = text(0, in, pick(25)), *part = text(1, in + 24, pick(4));  \
        if (pick(4) == 0)                                                    \
            part = (char *)"ab";                                             \
        see_place(name(s, part), s);                                         \
    }
SEARCH_IN(strstr)
SEARCH_IN(strcasestr)
SEARCH_IN(__strcasestr)
SEARCH_IN(strpbrk)

#define SPAN(name)                                                           \
    CASES(name, TEXT, 27)                                                    \
    {                                                                        \
        char *s = text(0, in, pick(25)), *set = text(1, in + 24, pick(4));   \
        see_number(name(s, pick(4) ? set : "aA "));                          \
    }
SPAN(strspn)
SPAN(strcspn)

CASES(memmem, TEXT, 28)
{
    unsigned char *s = bytes(0, in, 24), *part = bytes(1, in + 24, 4);
    size_t n = size_below(16, in), n_part = pick(5);
    see_place(memmem(s, n, part, n_part), s);
}

/* All tokens of a string: where each begins, and what is left of the text. */
CASES(strtok, TEXT, 20)
{
    char *s = text(0, in, pick(21));
    const char *set = pick(3) ? ", " : "b";
    char *token = strtok(s, set);
    for (int i = 0; i < 3; i++) {
        see_place(token, s);
        if (!token)
            break;
        token = strtok(NULL, set);
    }
    see_buffer(0);
}

#define SPLIT_KEPT(name)                                                     \
    CASES(name, TEXT, 22)                                                    \
    {                                                                        \
        char *s = text(0, in, pick(21)), *rest = NULL;                       \
        char *set = text(1, in + 20, 1 + pick(2));                           \
        char *token = name(s, set, &rest);                                   \
        for (int i = 0; i < 3; i++) {                                        \
            see_place(token, s);                                             \
            see_place(rest, s);                                              \
            if (!token)                                                      \
                break;                                                       \
            token = name(NULL, set, &rest);                                  \
        }                                                                    \
        see_buffer(0);                                                       \
    }
SPLIT_KEPT(strtok_r)
SPLIT_KEPT(__strtok_r)

#define SPLIT(name)                                                          \
    CASES(name, TEXT, 20)                                                    \
    {                                                                        \
        char *s = text(0, in, pick(21)), *rest = s;                          \
        const char *set = pick(3) ? ",; " : "b";                             \
        for (int i = 0; i < 3 && rest; i++) {                                \
            see_place(name(&rest, set), s);                                  \
            see_place(rest, s);                                              \
        }                                                                    \
        see_buffer(0);                                                       \
    }
SPLIT(strsep)
SPLIT(__strsep_g)
