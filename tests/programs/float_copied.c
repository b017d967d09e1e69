// Floats and doubles that are only moved, never computed with: loaded,
// stored, passed, returned and chosen, then looked at as bytes. Nothing is lost.
//~ STDIN: "\x18\x2d\x44\x54\xfb\x21\x09\x40\x00\x00\xc0\x3f\x05\x01\x77\x66"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct sample { double value; float scale; uint16_t id; };
struct pair { double a, b; };

static NOINLINE double pass(int ignored, double v, float w)
{
    (void)ignored;
    (void)w;
    return v;
}

static NOINLINE float second(double v, float w)
{
    (void)v;
    return w;
}

static NOINLINE struct sample copied(struct sample s)
{
    struct sample r = s;
    return r;
}

static NOINLINE struct pair swapped(struct pair p)
{
    struct pair r = {p.b, p.a};
    return r;
}

static uint64_t bits_of(double v) { uint64_t b; memcpy(&b, &v, sizeof b); return b; }
static uint32_t bits_of_float(float v) { uint32_t b; memcpy(&b, &v, sizeof b); return b; }

int main(void)
{
    unsigned char in[16] = {0};
    struct sample samples[2];
    double first;
    float scale;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&first, in, sizeof first);
    memcpy(&scale, in + 8, sizeof scale);

    samples[0] = (struct sample){first, scale, in[12]};
    samples[1] = copied(samples[0]);
    if (bits_of(samples[1].value) == 0x400921fb54442d18)
        puts("pi");
    if (bits_of_float(samples[1].scale) >> 16 == 0x3fc0)
        puts("one and a half");
    if (samples[1].id == 5)
        puts("five");
    if (bits_of(pass(1, first, scale)) >> 63)
        puts("negative");
    if ((bits_of_float(second(first, scale)) & 0xff) == 0x80)
        puts("low byte");

    // A choice between doubles made by an integer.
    double chosen = in[13] & 1 ? samples[0].value : 0.0;
    if ((bits_of(chosen) & 0xffff) == 0x2d18)
        puts("chosen");
    struct pair p = swapped((struct pair){first, 1.0});
    if (bits_of(p.a) == 0x3ff0000000000000 && (bits_of(p.b) >> 48) == 0x4009)
        puts("swapped");

    double array[3] = {0.0, first, 2.0};
    array[in[14] % 3] = first;
    memmove(array, array + 1, 2 * sizeof *array);
    if ((bits_of(array[0]) >> 8 & 0xff) == in[15])
        puts("moved");
    return 0;
}
