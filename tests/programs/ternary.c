// Conditional expressions with cheap arms (selects, not branches, once
// optimised), nested ones, and comma operators.
//~ STDIN: "mango\x10\x20\x90"
#include <stdio.h>
#include <unistd.h>

static int max_of(int a, int b) { return a > b ? a : b; }
static int min_of(int a, int b) { return a < b ? a : b; }
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static int sign(int v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }
static int absolute(int v) { return v < 0 ? -v : v; }

static const char *grade(unsigned v)
{
    return v >= 200 ? "top" : v >= 120 ? "high" : v >= 60 ? "middle" : "low";
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    int big = 0, small = 255, middle = 0;
    for (int i = 0; i < 8; i++) {
        big = max_of(big, in[i]);
        small = min_of(small, in[i]);
        middle += clamp(in[i], 100, 110);
    }
    if (big - small == 128)
        puts("spread");
    if (middle == 829)
        puts("clamped");
    if (absolute((int)in[0] - in[1]) < 13)
        puts("near");

    int signs = sign((int)in[2] - in[3]) * 3 + sign((int)in[4] - 'o');
    switch (signs) {
    case 3: puts("rising, equal"); break;
    case -3: puts("falling, equal"); break;
    case 0: puts("both equal"); break;
    default: puts("other"); break;
    }

    // A select between loaded values, between pointers, and of a condition.
    const unsigned char *chosen = in[5] & 1 ? &in[6] : &in[7];
    int inverted = in[6] == 0x20 ? in[5] != 0x10 : in[5] == 0x10;
    if (*chosen > 0x80)
        puts("chosen is high");
    if (inverted)
        puts("inverted");

    int count, weight;
    for (count = 0, weight = 1; count < 8 && in[count] > 'a'; count++, weight *= 2)
        ;
    int last = (count += in[7] & 3, weight -= in[6], count + weight);
    if (last > 0 ? last == 5 : last == -2)
        puts("comma");
    printf("%s %d\n", grade(in[7]), last);
    return 0;
}
