// The triangle problem: classify three side lengths.
//~ STDIN: "\x03\x04\x05"
//~ EXIT: 1
#include <stdio.h>
#include <unistd.h>

enum kind { INVALID, SCALENE, ISOSCELES, EQUILATERAL };

static enum kind classify(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)
        return INVALID;
    if (a + b <= c || b + c <= a || a + c <= b)
        return INVALID;
    if (a == b && b == c)
        return EQUILATERAL;
    if (a == b || b == c || a == c)
        return ISOSCELES;
    return SCALENE;
}

static int is_right(int a, int b, int c)
{
    return a * a + b * b == c * c || b * b + c * c == a * a ||
           a * a + c * c == b * b;
}

int main(void)
{
    static const char *const names[] = {"invalid", "scalene", "isosceles", "equilateral"};
    signed char sides[3] = {0};
    if (read(0, sides, sizeof sides) != sizeof sides)
        return 1;
    enum kind kind = classify(sides[0], sides[1], sides[2]);
    printf("%s\n", names[kind]);
    if (kind != INVALID && is_right(sides[0], sides[1], sides[2]))
        puts("right-angled");
    return (int)kind;
}
