// Nested loops whose bounds, steps and exits depend on the input, with break
// and continue, and do/while.
//~ STDIN: "\x05\x03\x02\x04\x30\x11"
#include <stdio.h>
#include <unistd.h>

static unsigned triangle(unsigned rows, unsigned step)
{
    unsigned cells = 0;
    for (unsigned i = 0; i < rows; i += step)
        for (unsigned j = i; j > 0; j--) {
            if ((i ^ j) == 3)
                continue;
            cells++;
        }
    return cells;
}

static unsigned collatz(unsigned n)
{
    unsigned steps = 0;
    do {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    } while (n > 1 && steps < 40);
    return steps;
}

static unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int main(void)
{
    unsigned char in[6] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    unsigned cells = triangle(in[0] & 15, (in[1] & 3) + 1);
    if (cells == 12)
        puts("twelve cells");

    unsigned found = 0;
    for (unsigned i = 1; i <= (in[2] & 7); i++) {
        for (unsigned j = 1; j <= (in[3] & 7); j++) {
            if (i * j == 8) {
                found = i;
                goto done;
            }
            if (i * j > 20)
                break;
        }
    }
done:
    if (found)
        printf("8 = %u * %u\n", found, 8 / found);

    unsigned steps = collatz(in[4] & 31);
    if (steps == 17)
        puts("seventeen steps");
    unsigned divisor = gcd(in[4], in[5]);
    if (divisor > 4)
        puts("common divisor");
    printf("%u %u %u\n", cells, steps, divisor);
    return 0;
}
