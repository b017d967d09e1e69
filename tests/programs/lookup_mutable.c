// Lookups at input-dependent indices in tables that are not constant: on the
// heap, on the stack, passed to a function, two-dimensional, and holding
// input bytes themselves.
//~ STDIN: "\x03\x05\x02\x01\x0a\x14\x1e\x28"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) unsigned weigh(const uint16_t *table, unsigned at)
{
    return table[at & 7] * 2u;
}

static __attribute__((noinline)) int cell(int grid[4][5], unsigned row, unsigned column)
{
    return grid[row % 4][column % 5];
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    // On the heap, with known content.
    uint16_t *squares = malloc(8 * sizeof *squares);
    if (!squares)
        return 1;
    for (unsigned i = 0; i < 8; i++)
        squares[i] = (uint16_t)(i * i);
    if (squares[in[0] & 7] == 9)
        puts("heap");
    if (weigh(squares, in[1]) == 72)
        puts("passed to a function");

    // On the stack, two-dimensional.
    int grid[4][5];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            grid[i][j] = i * 10 - j;
    if (cell(grid, in[2], in[3]) == 19)
        puts("grid");
    if (cell(grid, in[0], in[1]) < -3)
        puts("negative cell");

    // Content and index both from the input.
    if (in[4 + (in[3] & 3)] == 20)
        puts("byte chosen by a byte");
    squares[in[0] & 7] = in[4];
    if (squares[in[1] & 7] == 10)
        puts("same place");
    grid[in[2] & 3][2] = in[6];
    grid[1][2] += in[7];
    int sum = grid[in[5] & 3][2] + grid[2][2];
    if (sum == 38)
        puts("sum");

    // Three tables, one chosen by the input, then indexed by it.
    unsigned char small[4] = {1, 2, 3, in[4]}, other[4] = {9, 8, 7, 6};
    const unsigned char *chosen = in[2] > 100 ? small : other;
    if (chosen[in[0] & 3] == 6)
        puts("chosen table");
    printf("%d\n", sum);
    free(squares);
    return 0;
}
