// Indirect calls through tables of function pointers indexed by the input,
// with structs of callbacks and a pointer returned by a function.
//~ STDIN: "\x00\x05\x01\x03\x02\x02\x03\xff\x04\x01"
#include <stdio.h>
#include <unistd.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b % 1009; }
static int larger(int a, int b) { return a > b ? a : b; }
static int choose(int a, int b) { return b & 1 ? a : ~a; }

static const operation table[] = {add, subtract, multiply, larger, choose};

struct shape {
    const char *name;
    int (*area)(const struct shape *);
    int a, b;
};

static int rectangle_area(const struct shape *s) { return s->a * s->b; }
static int square_area(const struct shape *s) { return s->a * s->a; }
static int triangle_area(const struct shape *s) { return s->a * s->b / 2; }

static __attribute__((noinline)) operation pick(unsigned char c)
{
    if (c > 200)
        return larger;
    return table[c % 5];
}

static __attribute__((noinline)) int apply(operation f, int a, int b)
{
    return f(a, b);
}

int main(void)
{
    unsigned char in[10] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    int acc = 0;
    for (int i = 0; i < 8; i += 2)
        acc = table[in[i] % 5](acc, in[i + 1]);
    if (acc == 255)
        puts("all ones");
    if (apply(pick(in[8]), acc, in[9]) == acc)
        puts("unchanged");
    if (pick(in[7]) == larger && pick(in[6]) != add)
        puts("pointers compared");

    struct shape shapes[] = {
        {"rectangle", rectangle_area, in[1], in[3]},
        {"square", square_area, in[5], 0},
        {"triangle", triangle_area, in[7], in[9]},
    };
    const struct shape *s = &shapes[in[0] % 3];
    int area = s->area(s);
    if (area == 15)
        puts("fifteen");
    if (area > 1000)
        puts("large");
    printf("%s %d %d\n", s->name, area, acc);
    return 0;
}
