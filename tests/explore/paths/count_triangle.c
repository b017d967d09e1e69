// The triangle of the testing books. Three sides, each at least 1 and fulfilling the inequality:
// 3 paths that refuse a zero, 3 that refuse the inequality, and 5 that classify.
//~ STRATEGY: dfs
//~ PATHS: 11
//~ TESTS: 11
//~ EXHAUSTED: yes
#include <gimlet.h>
#include <stdio.h>

static const char *classify(int a, int b, int c)
{
    if (a == 0)
        return "no triangle";
    if (b == 0)
        return "no triangle";
    if (c == 0)
        return "no triangle";
    if (a + b <= c)
        return "no triangle";
    if (a + c <= b)
        return "no triangle";
    if (b + c <= a)
        return "no triangle";
    if (a == b) {
        if (b == c)
            return "equilateral";
        return "isosceles";
    }
    if (b == c)
        return "isosceles";
    if (a == c)
        return "isosceles";
    return "scalene";
}

int main(void)
{
    unsigned char sides[3] = {0};
    gimlet_symbolic(sides, sizeof sides, "sides");
    puts(classify(sides[0], sides[1], sides[2]));
    return 0;
}
