// A run-length decoder (as in PackBits): literal runs, repeated bytes, a
// bounded output, then a look at the picture that came out.
//~ STDIN: "\x03wbcd\xfd*\x00x\x80\xfeQ\x01yz"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 4, SIZE = 64 };

struct output { unsigned char bytes[SIZE]; unsigned length; int full; };

static void put(struct output *o, unsigned char c)
{
    if (o->length < SIZE)
        o->bytes[o->length++] = c;
    else
        o->full = 1;
}

static int decode(const unsigned char *p, const unsigned char *end, struct output *o)
{
    while (p < end && !o->full) {
        signed char control = (signed char)*p++;
        if (control >= 0) {
            for (int i = 0; i <= control; i++) {
                if (p == end)
                    return 0;
                put(o, *p++);
            }
        } else if (control != -128) {
            if (p == end)
                return 0;
            for (int i = 0; i <= -control; i++)
                put(o, *p);
            p++;
        }
    }
    return !o->full;
}

int main(void)
{
    unsigned char in[32];
    static struct output o;
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;
    int complete = decode(in, in + n, &o);
    if (o.full)
        puts("full");
    else if (!complete)
        puts("truncated");

    // Rows that repeat the row above, and the first byte off the left edge.
    unsigned repeats = 0;
    for (unsigned row = 1; (row + 1) * WIDTH <= o.length; row++)
        if (memcmp(o.bytes + row * WIDTH, o.bytes + (row - 1) * WIDTH, WIDTH) == 0)
            repeats++;
    if (repeats > 0)
        puts("repeated rows");
    if (o.length > 7 && o.bytes[4] == '*' && o.bytes[7] == '*')
        puts("stars");
    if (o.length == 14)
        puts("fourteen");
    printf("%u %u\n", o.length, repeats);
    return 0;
}
