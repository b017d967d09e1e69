// Floating-point numbers in formatted input: their values are lost, and
// counted, but not what is read around them.
//~ STDIN: "12.5e1,7 nan -0x1p3 .5.x 1e+z"
//~ LOSES: floating-point operation
#include <stdio.h>

int main(void)
{
    double a = 0, b = 0, d = 0;
    float c = 0;
    long double e = 0;
    int after = 0;
    char end = 0;
    int n = scanf("%lf,%d%lf%lf%f%*c%c%Lf%c", &a, &after, &b, &d, &c, &end, &e, &end);
    printf("%d %d %c\n", n, after, end);
    if (after == 8)
        puts("eight");
    if (n == 8)
        puts("all");
    if (end == 'y')
        puts("y");
    return 0;
}
