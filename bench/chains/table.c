// Reads a CSV table, and the goal wants four rows of three cells, 4242 as the second column's total, and a last '!'.
//~ STDIN: "a,1,x\n\"b,c\",20\n"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 4096, MAX_ROWS = 20, MAX_COLUMNS = 8, MAX_CELL = 40 };

struct reader {
    const unsigned char *at, *end;
    const char *error;
};

struct cell {
    unsigned char text[MAX_CELL];
    int len, is_quoted;
};

struct table {
    int n_rows, n_columns[MAX_ROWS];
    int is_numeric;         /* the second column, so far */
    long total;             /* of the second column */
    int last;               /* the last character of the last cell, or 0 */
};

static int fail(struct reader *reader, const char *why)
{
    reader->error = why;
    return 0;
}

static int peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : -1;
}

static int add(struct reader *reader, struct cell *cell, int c)
{
    if (cell->len == MAX_CELL)
        return fail(reader, "cell too long");
    cell->text[cell->len++] = (unsigned char)c;
    return 1;
}

/* Reads a cell in quotes, in which "" stands for a quote. */
static int read_quoted(struct reader *reader, struct cell *cell)
{
    cell->is_quoted = 1;
    for (;;) {
        int c = peek(reader);

        if (c < 0)
            return fail(reader, "no closing quote");
        reader->at++;
        if (c == '"') {
            if (peek(reader) != '"')
                break;
            reader->at++;
        }
        if (!add(reader, cell, c))
            return 0;
    }
    if (peek(reader) >= 0 && peek(reader) != ',' && peek(reader) != '\n')
        return fail(reader, "text after a quote");
    return 1;
}

static int read_cell(struct reader *reader, struct cell *cell)
{
    cell->len = 0;
    cell->is_quoted = 0;
    if (peek(reader) == '"') {
        reader->at++;
        return read_quoted(reader, cell);
    }
    while (peek(reader) >= 0 && peek(reader) != ',' && peek(reader) != '\n') {
        int c = *reader->at++;

        if (c == '"')
            return fail(reader, "a quote within a cell");
        if (!add(reader, cell, c))
            return 0;
    }
    return 1;
}

/* The value of a cell with up to six digits and a sign; false if it is not a number. */
static int to_number(const struct cell *cell, long *value)
{
    int is_negative = cell->len > 0 && cell->text[0] == '-', i = is_negative;

    *value = 0;
    if (cell->is_quoted || i == cell->len || cell->len - i > 6)
        return 0;
    for (; i < cell->len; i++) {
        if (cell->text[i] < '0' || cell->text[i] > '9')
            return 0;
        *value = *value * 10 + (cell->text[i] - '0');
    }
    if (is_negative)
        *value = -*value;
    return 1;
}

static int read_row(struct reader *reader, struct table *table)
{
    struct cell cell;
    long value;
    int n = 0;

    if (table->n_rows == MAX_ROWS)
        return fail(reader, "too many rows");
    for (;;) {
        if (n++ == MAX_COLUMNS)
            return fail(reader, "too many columns");
        if (!read_cell(reader, &cell))
            return 0;
        if (n == 2 && to_number(&cell, &value))
            table->total += value;
        else if (n == 2)
            table->is_numeric = 0;
        if (peek(reader) != ',')
            break;
        reader->at++;
    }
    if (peek(reader) == '\n')
        reader->at++;
    table->n_columns[table->n_rows++] = n;
    table->last = cell.len > 0 ? cell.text[cell.len - 1] : 0;
    return 1;
}

int main(void)
{
    static unsigned char in[MAX_INPUT];
    struct reader reader = {in, in + fread(in, 1, sizeof in, stdin), NULL};
    struct table table = {0, {0}, 1, 0, 0};
    int n_of_three = 0;

    while (reader.at < reader.end) {
        if (!read_row(&reader, &table)) {
            fprintf(stderr, "table: row %d: %s\n", table.n_rows + 1, reader.error);
            return 1;
        }
        n_of_three += table.n_columns[table.n_rows - 1] == 3;
    }
    if (table.n_rows == 4 && n_of_three == 4 && table.is_numeric && table.total == 4242 && table.last == '!')
        abort(); // the goal
    printf("%d rows, total %ld\n", table.n_rows, table.total);
    return 0;
}
