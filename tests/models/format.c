// Formatted output to memory.
#include "model.h"
#include <stdarg.h>

int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __asprintf_chk(char **, int, const char *, ...);
int __vasprintf_chk(char **, int, const char *, va_list);

#define ROOM_LEFT 64
#define ONE_OF(list) (list)[pick(sizeof(list) / sizeof *(list))]

static const char *const ints[] = {
    "%d", "%i", "%u", "%x", "%X", "%o", "%5d|", "%-8d|", "%+d", "% d", "%05d", "%.3d", "%8.4x", "%#x", "%#o", "%hhd",
    "%hd", "%hu", "%hhx", "a%db", "%d%%", "%-6u|", "%+.2i",
};
static const char *const longs[] = {"%ld", "%lu", "%lx", "%lld", "%llu", "%zu", "%jd", "%20ld", "%-22lld|", "%#lx", "%lo", "%zx"};
static const char *const characters[] = {"%c", "[%c]", "%3c|", "%-3c|"};
static const char *const strings[] = {"%s", "%10s|", "%-10s|", "%.3s", "[%s]", "%8.2s", "%s%%"};
static const char *const several[] = {"%s=%d", "%.4s: %u", "%3s,%x", "%-5s|%i"};

/* One conversion with any flags, width and precision; what it takes is an int, or a long if LENGTH says so. */
static const char *any_format(const char *length)
{
    static char format[24];
    char *at = format;
    *at++ = "<%"[pick(2)];
    at[-1] == '<' ? *at++ = '%' : 0;
    for (const char *flag = "-+ #0"; *flag; flag++)
        if (pick(4) == 0)
            *at++ = *flag;
    if (pick(2))
        at += sprintf(at, "%u", 1 + pick(24));
    if (pick(3) == 0)
        at += pick(4) ? sprintf(at, ".%u", pick(24)) : sprintf(at, ".");
    while (*length)
        *at++ = *length++;
    *at++ = "diuxXo"[pick(6)];
    *at++ = '>';
    *at = 0;
    return format;
}

static size_t text_length(void)
{
    return pick(9);
}

/* One call with a format and arguments of its kind. */
#define CALL_ONE(call)                                                       \
    switch (pick(10)) {                                                      \
    case 0:                                                                  \
    case 1:                                                                  \
        see_number(call(ONE_OF(ints), (int)number(in, 1 + pick(4))));        \
        break;                                                               \
    case 2:                                                                  \
        see_number(call(ONE_OF(longs), (long)number(in, 8)));                \
        break;                                                               \
    case 3:                                                                  \
        see_number(call(ONE_OF(characters), *in));                           \
        break;                                                               \
    case 4:                                                                  \
        see_number(call(ONE_OF(strings), text(0, in, text_length())));       \
        break;                                                               \
    case 5:                                                                  \
        see_number(call(any_format(""), (int)number(in, 1 + pick(4))));      \
        break;                                                               \
    case 6:                                                                  \
        see_number(call(any_format(pick(2) ? "h" : "hh"), (int)number(in, 4))); \
        break;                                                               \
    case 7:                                                                  \
        see_number(call(any_format(pick(2) ? "l" : "j"), (long)number(in, 1 + pick(8)))); \
        break;                                                               \
    case 8: {                                                                \
        int at_number = -1;                                                  \
        see_number(call("%*.*d,%n%5p.%g.%d%s%c%u", (int)pick(9) - 4, (int)pick(5) - 1, (int)number(in, 2), \
                        &at_number, (void *)number(in + 2, pick(3)), pick(100) / 8., *in, text(0, in, 3), in[4], 7)); \
        see_number(at_number);                                               \
        break;                                                               \
    }                                                                        \
    default:                                                                 \
        see_number(call(ONE_OF(several), text(0, in, text_length()), (int)number(in + 8, 2))); \
    }

#define PRINT(name, call)                                                    \
    CASES(name, TEXT, 12)                                                    \
    {                                                                        \
        char *to = room(1);                                                  \
        size_t n = pick(3) ? ROOM_LEFT : pick(8);                            \
        (void)n;                                                             \
        CALL_ONE(call)                                                       \
        see_buffer(1);                                                       \
        see_errno();                                                         \
    }
#define SPRINTF(...) sprintf(to, __VA_ARGS__)
PRINT(sprintf, SPRINTF)
#define SNPRINTF(...) snprintf(to, n, __VA_ARGS__)
PRINT(snprintf, SNPRINTF)
#define SPRINTF_CHK(...) __sprintf_chk(to, 1, ROOM_LEFT, __VA_ARGS__)
PRINT(__sprintf_chk, SPRINTF_CHK)
#define SNPRINTF_CHK(...) __snprintf_chk(to, n, 1, ROOM_LEFT, __VA_ARGS__)
PRINT(__snprintf_chk, SNPRINTF_CHK)

#define WITH_LIST(wrapper, params, call)                                     \
    static int wrapper params                                                \
    {                                                                        \
        va_list list;                                                        \
        va_start(list, format);                                              \
        int result = call;                                                   \
        va_end(list);                                                        \
        return result;                                                       \
    }
WITH_LIST(by_vsprintf, (char *to, const char *format, ...), vsprintf(to, format, list))
WITH_LIST(by_vsnprintf, (char *to, size_t n, const char *format, ...), vsnprintf(to, n, format, list))
WITH_LIST(by_vsprintf_chk, (char *to, const char *format, ...), __vsprintf_chk(to, 1, ROOM_LEFT, format, list))
WITH_LIST(by_vsnprintf_chk, (char *to, size_t n, const char *format, ...), __vsnprintf_chk(to, n, 1, ROOM_LEFT, format, list))
WITH_LIST(by_vasprintf, (char **to, const char *format, ...), vasprintf(to, format, list))
WITH_LIST(by_vasprintf_chk, (char **to, const char *format, ...), __vasprintf_chk(to, 1, format, list))
#define VSPRINTF(...) by_vsprintf(to, __VA_ARGS__)
PRINT(vsprintf, VSPRINTF)
#define VSNPRINTF(...) by_vsnprintf(to, n, __VA_ARGS__)
PRINT(vsnprintf, VSNPRINTF)
#define VSPRINTF_CHK(...) by_vsprintf_chk(to, __VA_ARGS__)
PRINT(__vsprintf_chk, VSPRINTF_CHK)
#define VSNPRINTF_CHK(...) by_vsnprintf_chk(to, n, __VA_ARGS__)
PRINT(__vsnprintf_chk, VSNPRINTF_CHK)

#define PRINT_NEW(name, call)                                                \
    CASES(name, TEXT, 12)                                                    \
    {                                                                        \
        char *made = NULL;                                                   \
        CALL_ONE(call)                                                       \
        see_string(made);                                                    \
        free(made);                                                          \
    }
#define ASPRINTF(...) asprintf(&made, __VA_ARGS__)
PRINT_NEW(asprintf, ASPRINTF)
#define ASPRINTF_CHK(...) __asprintf_chk(&made, 1, __VA_ARGS__)
PRINT_NEW(__asprintf_chk, ASPRINTF_CHK)
#define VASPRINTF(...) by_vasprintf(&made, __VA_ARGS__)
PRINT_NEW(vasprintf, VASPRINTF)
#define VASPRINTF_CHK(...) by_vasprintf_chk(&made, __VA_ARGS__)
PRINT_NEW(__vasprintf_chk, VASPRINTF_CHK)
