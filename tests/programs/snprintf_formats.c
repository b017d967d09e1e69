// Formatted output to memory: integers of every length and base, signs,
// padding, strings, truncation, and the same through a va_list.
//~ STDIN: "\x85\x01\x00\x00\xff\xff\xff\xff\x00\x00\x00\x80Abc\x00def%"
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char in[21];
static char out[128];

static void show(const char *what, int length)
{
    printf("%s %d %s\n", what, length, out);
    for (int i = 0; i < length && out[i]; i++)
        if (out[i] == '9')
            puts("a nine");
}

static __attribute__((noinline)) int forward(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vsnprintf(out, sizeof out, format, ap);
    va_end(ap);
    return length;
}

int main(void)
{
    if (read(0, in, sizeof in - 1) < 0)
        return 1;
    int32_t a, b, c;
    memcpy(&a, in, 4);
    memcpy(&b, in + 4, 4);
    memcpy(&c, in + 8, 4);
    const char *text = in + 12;

    show("int", sprintf(out, "<%d>", a));
    if (out[3] == '7')
        puts("second digit is 7");
    show("signed", snprintf(out, sizeof out, "%+d|% i|%-8d|%08d|%.6d", b, a, b, b, a));
    show("lengths", snprintf(out, sizeof out, "%hhd %hd %ld %lld %zu", a, a, (long)c, (long long)b << 20, (size_t)a));
    show("unsigned", snprintf(out, sizeof out, "%u %hhu %hu", (unsigned)b, a, a));
    show("hexadecimal", snprintf(out, sizeof out, "%x %X %#x %08x %#06hx", a, b, c, a, a));
    if (memcmp(out, "185", 3) == 0)
        puts("185");
    show("octal", snprintf(out, sizeof out, "%o %#o %#.3o %.0o", a, a, a, a & 1));
    show("characters", snprintf(out, sizeof out, "%c%3c%-3c%%", text[0], text[1], text[2]));
    show("strings", snprintf(out, sizeof out, "%s|%6s|%-6s|%.2s|%*.*s", text, text, text, text, 5, 1, text));
    show("cut", snprintf(out, 6, "%d%s", a, text));
    show("measured", snprintf(NULL, 0, "%d %s", c, text));
    int n = 0;
    show("count", sprintf(out, "%d%n%*d", a, &n, a & 15, 1));
    if (n == 2)
        puts("two digits");
    show("many", snprintf(out, sizeof out, "%d %d %d %d %d %d %d %x", 1, 2, 3, a, 5, 6, b, c));
    show("float between", snprintf(out, sizeof out, "%d %.2f %d %Lf %x", a, 1.5, b, 2.5L, a));
    show("forwarded", forward("%s=%d", text, b));
    show("pointer", snprintf(out, sizeof out, "%p %p", (void *)(uintptr_t)(uint32_t)a, (void *)0));
    char *made;
    if (asprintf(&made, "%s-%u", text, (unsigned)c) > 0) {
        if (made[1] == 'b')
            puts("b");
        puts(made);
        free(made);
    }
    return 0;
}
