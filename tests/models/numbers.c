// Numbers: from text, absolute values, quotients.
#include "model.h"
#include <inttypes.h>

#define PARSE(name)                                                          \
    CASES(name, NUMBER, 24)                                                  \
    {                                                                        \
        see_number(name(text(0, in, pick(25))));                             \
        see_buffer(0);                                                       \
    }
PARSE(atoi)
PARSE(atol)
PARSE(atoll)

static int base(void)
{
    static const int bases[] = {0, 10, 10, 10, 16, 8, 2, 36, 37, 1};
    return bases[pick(10)];
}

/* A base that is invalid leaves the end alone, or not. */
#define PARSE_TO_END(name)                                                   \
    {                                                                        \
        char *s = text(0, in, pick(25)), *end = s + 40;                      \
        see_number(name(s, pick(4) ? &end : NULL, base()));                  \
        see_place(end, s);                                                   \
        see_errno();                                                         \
    }
CASES(strtol, NUMBER, 24) PARSE_TO_END(strtol)
CASES(strtoul, NUMBER, 24) PARSE_TO_END(strtoul)
CASES(strtoll, NUMBER, 24) PARSE_TO_END(strtoll)
CASES(strtoull, NUMBER, 24) PARSE_TO_END(strtoull)
CASES(strtoimax, NUMBER, 24) PARSE_TO_END(strtoimax)
CASES(strtoumax, NUMBER, 24) PARSE_TO_END(strtoumax)

#define NEW_PARSE(type, name)                                                \
    type name(const char *, char **, int) __attribute__((weak));             \
    CASES_IF(name, NUMBER, 24) PARSE_TO_END(name)
NEW_PARSE(long, __isoc23_strtol)
NEW_PARSE(unsigned long, __isoc23_strtoul)
NEW_PARSE(long long, __isoc23_strtoll)
NEW_PARSE(unsigned long long, __isoc23_strtoull)
NEW_PARSE(intmax_t, __isoc23_strtoimax)

long __strtol_internal(const char *, char **, int, int);
CASES(__strtol_internal, NUMBER, 24)
{
    char *s = text(0, in, pick(25)), *end = s + 40;
    see_number(__strtol_internal(s, &end, base(), 0));
    see_place(end, s);
    see_errno();
}

CASES(strtoq, NUMBER, 24) PARSE_TO_END(strtoq)
CASES(strtouq, NUMBER, 24) PARSE_TO_END(strtouq)

/* Where a floating-point number ends; its value is lost. */
#define FLOAT_END(name)                                                      \
    CASES(name, FLOAT, 14)                                                   \
    {                                                                        \
        char *s = text(0, in, pick(15)), *end = s + 40;                      \
        (void)name(s, &end);                                                 \
        see_place(end, s);                                                   \
    }
FLOAT_END(strtod)
FLOAT_END(strtof)

/* The least of all has no absolute value. */
CASES(abs, BYTES, 4)
{
    int x = number(in, 4);
    see_number(abs(x < -2147483647 ? 1 : x));
}
CASES(labs, BYTES, 8)
{
    long x = number(in, 8);
    see_number(labs(x < -INT64_MAX ? 1 : x));
}
CASES(llabs, BYTES, 8)
{
    long long x = number(in, 8);
    see_number(llabs(x < -INT64_MAX ? 1 : x));
}

/* Divisors are not zero, and small enough that quotients differ; -1 is left out because of the least of all. */
#define DIVIDE(name, type, result)                                           \
    CASES(name, BYTES, 12)                                                   \
    {                                                                        \
        type by = pick(2) ? 1 + in[8] : (type)pick(1000) - 1002;             \
        result quotient = name((type)number(in, sizeof(type)), by);          \
        see_number(quotient.quot);                                           \
        see_number(quotient.rem);                                            \
    }
DIVIDE(div, int, div_t)
DIVIDE(ldiv, long, ldiv_t)
DIVIDE(lldiv, long long, lldiv_t)
DIVIDE(imaxdiv, intmax_t, imaxdiv_t)
