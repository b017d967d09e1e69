// Large structs passed by value in memory (byval) and returned through a
// hidden pointer (sret), nested, with arrays, assigned and compared.
//~ STDIN: "matrix: 123456789 and \x10\x20\x30\x40 more"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct point { int16_t x, y; };
struct matrix { int cell[3][3]; };
struct record {
    char name[8];
    struct matrix matrix;
    struct { struct point corner[2]; uint8_t tag; } box;
};

static NOINLINE struct matrix transpose(struct matrix m)
{
    struct matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.cell[i][j] = m.cell[j][i];
    return r;
}

static NOINLINE int trace(struct matrix m)
{
    return m.cell[0][0] + m.cell[1][1] + m.cell[2][2];
}

// The callee changes its own copy only.
static NOINLINE struct record moved(struct record r, int by)
{
    r.box.corner[0].x = (int16_t)(r.box.corner[0].x + by);
    r.box.corner[1].y = (int16_t)(r.box.corner[1].y - by);
    r.matrix = transpose(r.matrix);
    r.name[0] ^= 0x20;
    return r;
}

int main(void)
{
    unsigned char in[32] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    struct record a = {0};
    memcpy(a.name, in, 6);
    for (int i = 0; i < 9; i++)
        a.matrix.cell[i / 3][i % 3] = in[8 + i] - '0';
    a.box.corner[0] = (struct point){in[22], in[23]};
    a.box.corner[1] = (struct point){in[24], in[25]};
    a.box.tag = in[26];

    struct record b = moved(a, in[27]);
    if (a.name[0] == 'm' && b.name[0] == 'M')
        puts("only the copy changed");
    if (trace(a.matrix) == 15)
        puts("trace");
    if (b.matrix.cell[0][2] == 7 && b.matrix.cell[2][0] == 3)
        puts("transposed");
    if (b.box.corner[0].x == 125)
        puts("moved right");
    if (b.box.corner[1].y < a.box.corner[0].x)
        puts("moved up");
    a = b;
    if (a.box.tag == ' ' && a.box.corner[0].y == 0x20)
        puts("assigned");
    printf("%d\n", trace(moved(a, -1).matrix) + a.box.corner[1].y);
    return 0;
}
