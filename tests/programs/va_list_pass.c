// A va_list handed on to other functions, by value and by pointer: a small
// printf-like formatter into a buffer.
//~ STDIN: "x*\x2a\x00\xf4\xff"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct buffer { char text[64]; unsigned length; };

static void put(struct buffer *b, char c)
{
    if (b->length < sizeof b->text - 1)
        b->text[b->length++] = c;
}

static void put_number(struct buffer *b, unsigned v, unsigned base)
{
    if (v >= base)
        put_number(b, v / base, base);
    put(b, "0123456789abcdef"[v % base]);
}

static __attribute__((noinline)) void one(struct buffer *b, char kind, va_list *ap)
{
    switch (kind) {
    case 'd': {
        int v = va_arg(*ap, int);
        if (v < 0)
            put(b, '-');
        put_number(b, v < 0 ? -(unsigned)v : (unsigned)v, 10);
        break;
    }
    case 'x': put_number(b, va_arg(*ap, unsigned), 16); break;
    case 'c': put(b, (char)va_arg(*ap, int)); break;
    case 's':
        for (const char *s = va_arg(*ap, const char *); *s; s++)
            put(b, *s);
        break;
    default: put(b, '?'); break;
    }
}

static __attribute__((noinline)) void vformat(struct buffer *b, const char *f, va_list ap)
{
    va_list mine;
    va_copy(mine, ap);
    for (; *f; f++) {
        if (*f == '%' && f[1])
            one(b, *++f, &mine);
        else
            put(b, *f);
    }
    va_end(mine);
    b->text[b->length] = '\0';
}

static void format(struct buffer *b, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    vformat(b, f, ap);
    va_end(ap);
}

int main(void)
{
    unsigned char in[6] = {0};
    int16_t a, b;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&a, in + 2, sizeof a);
    memcpy(&b, in + 4, sizeof b);

    struct buffer out = {.length = 0};
    format(&out, "%d %d %c%s%x=", a, b, in[1] & 0x7f, ";", (unsigned)in[0]);
    if (strcmp(out.text, "42 -12 *;78=") == 0)
        puts("as expected");
    if (out.length == 15)
        puts("fifteen");
    if (out.text[0] == '-')
        puts("negative first");
    const char dynamic[3] = {'%', in[0] == 's' ? 'd' : (char)in[0], 0};
    format(&out, dynamic, (int)in[1]);
    if (out.text[out.length - 1] == 'a')
        puts("ends in a");
    printf("%u\n", out.length);
    return 0;
}
