// Floating-point arithmetic on input: conversions, comparisons and functions
// of the result lose the dependency; the integer branches around them do not.
//~ STDIN: "\x09\x04\x64\x00\x00\x80\x3f\x10"
//~ LOSES: float
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double average(const unsigned char *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum / n;
}

static float root(float v)
{
    float x = v > 1 ? v : 1;
    for (int i = 0; i < 20; i++)
        x = (x + v / x) * 0.5f;
    return x;
}

int main(void)
{
    unsigned char in[8] = {0};
    float f;
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (in[0] == 9)
        puts("integer before");
    double d = in[0] * 1.5;
    if (d > 13.0)
        puts("scaled");
    if ((int)(d * 2) == 27)
        puts("and back");
    if (average(in, 4) < 30.0)
        puts("average");
    if ((int)(root(in[1]) + 0.5f) == 2)
        puts("root");
    long double wide = (long double)in[2] / 3;
    if (wide > 33.25L && wide < 33.5L)
        puts("long double");

    memcpy(&f, in + 3, sizeof f);
    if (f == 1.0f)
        puts("one");
    else if (f != f)
        puts("not a number");
    double clamped = f > 100 ? 100 : f > -100 ? f : -100;
    unsigned index = (unsigned)(clamped + 100) / 50;
    static const char *const names[] = {"low", "lower", "middle", "higher", "high"};
    puts(names[index]);
    if (in[7] * 3 == 48)
        puts("integer after");
    return 0;
}
