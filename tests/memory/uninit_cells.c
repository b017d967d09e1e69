// A row of cells is filled cell by cell; the largest is looked for among all of them, whether they were filled or not.
//~ STDIN: "3:0=5;1=2;2=7;"
//~ FINDS: uninitialised largest
//~ SOLUTION: "3:0=5;0=2;2=7;"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int *make_cells(size_t n_cells)
{
#ifdef FIXED
    return calloc(n_cells, sizeof(int));
#else
    return malloc(n_cells * sizeof(int));
#endif
}

__attribute__((noinline)) static int fill(int *cells, int n_cells, const char *text)
{
    int n_filled = 0;
    for (; strlen(text) >= 4; text += 4) {
        int cell = text[0] - '0', number = text[2] - '0';
        if (cell < 0 || cell >= n_cells || text[1] != '=' || text[3] != ';')
            break;
        cells[cell] = number;
        n_filled++;
    }
    return n_filled;
}

static int largest(const int *cells, int n_cells)
{
    int max = -100;
    for (int i = 0; i < n_cells; i++)
        if (cells[i] > max) { //~ HERE
            printf("cell %d is larger\n", i);
            max = cells[i];
        }
    return max;
}

int main(void)
{
    char text[32];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (text[0] < '1' || text[0] > '4' || text[1] != ':')
        return 1;
    int n_cells = text[0] - '0', status = 1;
    int *cells = make_cells((size_t)n_cells);
    if (!cells)
        return 1;
    if (fill(cells, n_cells, text + 2) >= n_cells) {
        printf("%d\n", largest(cells, n_cells));
        status = 0;
    }
    free(cells);
    return status;
}
