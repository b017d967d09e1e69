// Small structs passed and returned by value in registers: two integers
// packed in one register, two registers, and an integer beside a double.
//~ STDIN: "\x05\x00\x09\x00\x11\x22\x33\x44\x55\x66\x77\x08\x00\x00\x00\x00\x00\x00\x08\x40"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct pair { int16_t x, y; };
struct two { int64_t low, high; };
struct odd { uint8_t a; uint16_t b; uint8_t c; uint32_t d; uint8_t e; };
struct mixed { int32_t count; double weight; };
struct three { uint8_t bytes[3]; };

static NOINLINE struct pair swap(struct pair p)
{
    struct pair r = {p.y, p.x};
    return r;
}

static NOINLINE struct two widen(struct pair p, int64_t scale)
{
    struct two r = {p.x * scale, p.y - scale};
    return r;
}

static NOINLINE struct odd shuffle(struct odd o)
{
    struct odd r = {o.e, (uint16_t)(o.b + o.a), o.c, o.d ^ o.b, o.a};
    return r;
}

// The double is only carried, never computed with.
static NOINLINE struct mixed count_up(struct mixed m, int by)
{
    m.count = (m.count & 0xffff) + by;
    return m;
}

static NOINLINE struct three rotate(struct three t)
{
    struct three r = {{t.bytes[1], t.bytes[2], t.bytes[0]}};
    return r;
}

int main(void)
{
    unsigned char in[20] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    struct pair p;
    memcpy(&p, in, sizeof p);
    p = swap(p);
    if (p.x == 9)
        puts("swapped");
    struct two t = widen(p, in[4]);
    if (t.low == 153 && t.high < 0)
        puts("widened");
    struct odd o = {in[4], (uint16_t)(in[5] | in[6] << 8), in[7], in[8] * 3u, in[9]};
    o = shuffle(o);
    if (o.b == 0x3333 && o.e < o.a)
        puts("shuffled");
    if ((o.d & 0xff) == 0xdd)
        puts("odd");
    struct mixed m;
    m.count = in[11];
    memcpy(&m.weight, in + 12, sizeof m.weight);
    m = count_up(m, p.y);
    if (m.count == 13)
        puts("counted");
    unsigned char weight[sizeof m.weight];
    memcpy(weight, &m.weight, sizeof weight);
    if (weight[7] == 0x40 && weight[6] > 4)
        puts("weight");
    struct three r = rotate((struct three){{in[8], in[9], in[10]}});
    if (r.bytes[0] == 0x66 && r.bytes[2] != 0x77)
        puts("rotated");
    return 0;
}
