// Formatted input from memory.
#include "model.h"
#include <stdarg.h>

int __isoc99_sscanf(const char *, const char *, ...);
int __isoc99_vsscanf(const char *, const char *, va_list);
int __isoc23_sscanf(const char *, const char *, ...) __attribute__((weak));

/* Formats that take pointers to at most three things of at most 16 bytes. */
static const char *const formats[] = {
    "%d", "%i", "%u", "%x", "%X", "%o", "%ld", "%lu", "%lx", "%lld", "%llu", "%zu", "%hd", "%hhu", "%5d", "%2x", "%c",
    "%3c", "%8s", "%15s", "%8[a-z]", "%8[^,]", "%*d%d", "%*3s%c", "%d,%d", "%d %d", "%d%n", "%d%c%8s", "%%%d", " %c",
    "a%d", "%2d%2d%2d", "%i%n", "%8s%u",
};

/* What could not be converted stays. */
static unsigned char found[3][16];

static void clear_found(void)
{
    for (int i = 0; i < 48; i++)
        found[i / 16][i % 16] = 0xe0 + i % 16;
}

#define SCAN(call)                                                           \
    {                                                                        \
        char *s = text(0, in, pick(21));                                     \
        const char *format = formats[pick(sizeof formats / sizeof *formats)]; \
        clear_found();                                                       \
        see_number(call(s, format, (void *)found[0], (void *)found[1], (void *)found[2])); \
        see(found, sizeof found, "found");                                   \
        see_errno();                                                         \
    }

static int by_vsscanf(const char *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = vsscanf(s, format, list);
    va_end(list);
    return result;
}

static int by_isoc99_vsscanf(const char *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = __isoc99_vsscanf(s, format, list);
    va_end(list);
    return result;
}

/* The name that the header gives sscanf is not its own. */
int plain_sscanf(const char *, const char *, ...) __asm__("sscanf");
#undef sscanf
CASES(sscanf, NUMBER, 20) SCAN(plain_sscanf)
CASES(__isoc99_sscanf, NUMBER, 20) SCAN(__isoc99_sscanf)
CASES_IF(__isoc23_sscanf, NUMBER, 20) SCAN(__isoc23_sscanf)
CASES_AS(vsscanf, "__isoc99_vsscanf", NUMBER, 20) SCAN(by_vsscanf)
CASES(__isoc99_vsscanf, NUMBER, 20) SCAN(by_isoc99_vsscanf)
