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

/* Up to three conversions, with literals and white space between them. */
static const char *any_format(void)
{
    static const char *const conversions[] = {"d", "i", "u", "x", "o", "hd", "hhd", "lu", "lli", "p", "n", "hhn", "c", "s", "[0-9a-fA-F+-]", "[^ 0]", "[]x-]"};
    static char format[64];
    char *at = format;
    for (unsigned i = 0, n = 1 + pick(3); i < n; i++) {
        if (pick(3) == 0)
            *at++ = " 0-x,"[pick(5)];
        *at++ = '%';
        if (pick(6) == 0)
            *at++ = '*';
        const char *conversion = conversions[pick(sizeof conversions / sizeof *conversions)];
        if (pick(3) == 0 || strchr("s[", *conversion))
            at += sprintf(at, "%u", 1 + pick(12));
        at += sprintf(at, "%s", conversion);
    }
    *at = 0;
    return format;
}

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
        const char *format = pick(2) ? any_format() : formats[pick(sizeof formats / sizeof *formats)]; \
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

/* Allocated strings, and floating-point numbers, of which only the text around them is seen. */
CASES_AS(sscanf_made, "__isoc99_sscanf", NUMBER, 20)
{
    static const char *const made_formats[] = {"%ms", "%m[0-9 ]%n", "%3ms", "%m[^x]x%n", "%mc%n"};
    char *made = NULL;
    int at = -1;
    int n = __isoc99_sscanf(text(0, in, pick(21)), made_formats[pick(5)], &made, &at);
    see_number(n);
    see_number(at);
    if (n > 0) {
        see(made, 1, "made");
        free(made);
    }
}

CASES_AS(sscanf_float, "__isoc99_sscanf", FLOAT, 14)
{
    static const char *const float_formats[] = {"%lf%n%c", "%3lf%n%c", "%*f%n%c", "%5le%n%c"};
    double value;
    int at = -1;
    char next = '?';
    unsigned which = pick(4);
    const char *s = text(0, in, pick(15));
    see_number(which == 2 ? __isoc99_sscanf(s, float_formats[which], &at, &next)
                          : __isoc99_sscanf(s, float_formats[which], &value, &at, &next));
    see_number(at);
    see(&next, 1, "next");
}
