// Comparisons of memory and strings.
#include "model.h"
#include <strings.h>

int __memcmpeq(const void *, const void *, size_t);
int __strcasecmp(const char *, const char *);

/* Two parts of the input, the second often much like the first. */
static void two(unsigned char *in, size_t n, unsigned char **a, unsigned char **b)
{
    *a = (unsigned char *)text(0, in, n);
    *b = (unsigned char *)text(1, pick(3) ? in : in + n, n);
    if (n > 0 && pick(2))
        (*b)[pick(n)] = in[n];
    if (pick(6) == 0)
        *b = *a;
}

#define COMPARE_MEMORY(name)                                                 \
    CASES(name, TEXT, 32)                                                    \
    {                                                                        \
        unsigned char *a, *b;                                                \
        two(in, 16, &a, &b);                                                 \
        see_number(name(a, b, size_below(16, in + 31)));                     \
    }
COMPARE_MEMORY(memcmp)
COMPARE_MEMORY(bcmp)

/* Only whether the two are equal is certain. */
CASES(__memcmpeq, TEXT, 32)
{
    unsigned char *a, *b;
    two(in, 16, &a, &b);
    see_number(__memcmpeq(a, b, size_below(16, in + 31)) == 0);
}

#define COMPARE_STRINGS(name)                                                \
    CASES(name, TEXT, 32)                                                    \
    {                                                                        \
        unsigned char *a, *b;                                                \
        two(in, pick(17), &a, &b);                                           \
        see_number(name((char *)a, pick(5) ? (char *)b : "abba"));           \
        see_errno();                                                         \
    }
COMPARE_STRINGS(strcmp)
COMPARE_STRINGS(strcasecmp)
COMPARE_STRINGS(__strcasecmp)
COMPARE_STRINGS(strcoll)

#define COMPARE_PREFIXES(name)                                               \
    CASES(name, TEXT, 32)                                                    \
    {                                                                        \
        unsigned char *a, *b;                                                \
        two(in, pick(17), &a, &b);                                           \
        size_t n = pick(8) ? size_below(16, in + 31) : SIZE_MAX >> pick(2);  \
        see_number(name((char *)a, pick(5) ? (char *)b : "abba", n));        \
    }
COMPARE_PREFIXES(strncmp)
COMPARE_PREFIXES(strncasecmp)
