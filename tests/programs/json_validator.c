// A validator for JSON: nested values with a bounded depth, strings with
// escapes, simple numbers and literals.
//~ STDIN: "{\"a\": [1, -2.5, true], \"b\": {\"c\\u00e9\": null}}"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const unsigned char *p;  // the text ends in '\0'
static unsigned objects, arrays, strings, numbers;

static int value(int depth);

// Skips white space, then the character c if it is there.
static int accept(char c)
{
    while (*p == ' ' || *p == '\n' || *p == '\t')
        p++;
    return *p == (unsigned char)c ? (p++, 1) : 0;
}

static int digits(void)
{
    const unsigned char *start = p;
    while (isdigit(*p))
        p++;
    return p > start;
}

static int number(void)
{
    numbers++;
    if (*p == '-')
        p++;
    return digits() && (*p != '.' || (p++, digits()));
}

// Behind the opening quote.
static int string(void)
{
    strings++;
    for (; *p != '"'; p++) {
        if (*p < ' ')
            return 0;
        if (*p != '\\')
            continue;
        p++;
        for (int i = 0; *p == 'u' && i < 4; i++)
            if (!isxdigit(p[1 + i]))
                return 0;
        if (*p != '"' && *p != '\\' && *p != '/' && *p != 'n' && *p != 't' && *p != 'u')
            return 0;
    }
    p++;
    return 1;
}

static int members(char close, int depth)
{
    if (accept(close))
        return 1;
    do {
        if (close == '}' && !(accept('"') && string() && accept(':')))
            return 0;
        if (!value(depth + 1))
            return 0;
    } while (accept(','));
    return accept(close);
}

static int literal(const char *word, size_t length)
{
    return strncmp((const char *)p, word, length) == 0 ? (p += length, 1) : 0;
}

static int value(int depth)
{
    if (depth > 8)
        return 0;
    if (accept('{'))
        return objects++, members('}', depth);
    if (accept('['))
        return arrays++, members(']', depth);
    if (accept('"'))
        return string();
    return literal("true", 4) || literal("false", 5) || literal("null", 4) || number();
}

int main(void)
{
    static unsigned char text[80];
    if (read(0, text, sizeof text - 1) < 0)
        return 2;
    p = text;
    int valid = value(0) && accept('\0');
    printf("%d: %u %u %u %u\n", valid, objects, arrays, strings, numbers);
    return !valid;
}
