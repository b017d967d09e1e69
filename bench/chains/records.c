// Reads records of type, length and value, and the goal wants 1, 2 (600), 3 (5 bytes or more) and 9 (their sum, 77).
//~ STDIN: "\x01\x02ok\x05\x01-"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 4096, MAX_RECORDS = 32 };

enum type { NAME = 1, WIDTH = 2, DATA = 3, FLAGS = 4, NOTE = 5, SUM = 9 };

struct file {
    int n_records, has[10];
    int stage;              /* how many of NAME, WIDTH, DATA and SUM came, in this order */
    unsigned width, data_len, flags;
    unsigned sum;           /* of the values of types 1 to 3 */
    unsigned expected;
};

static const char *read_name(const unsigned char *value, unsigned len)
{
    if (len == 0 || len > 20)
        return "a name has 1 to 20 characters";
    for (unsigned i = 0; i < len; i++) {
        if (value[i] < ' ' || value[i] > '~')
            return "a name is printable";
    }
    return NULL;
}

static const char *read_width(struct file *file, const unsigned char *value, unsigned len)
{
    if (len != 2)
        return "a width has two bytes";
    file->width = (unsigned)value[0] << 8 | value[1];
    if (file->width == 0 || file->width > 4000)
        return "width out of range";
    return NULL;
}

static const char *read_flags(struct file *file, const unsigned char *value, unsigned len)
{
    if (len != 1)
        return "flags have one byte";
    if (value[0] > 7)
        return "unknown flag";
    file->flags = value[0];
    return NULL;
}

static const char *read_sum(struct file *file, const unsigned char *value, unsigned len)
{
    if (len != 1)
        return "a sum has one byte";
    if (!file->has[NAME] && !file->has[WIDTH] && !file->has[DATA])
        return "a sum of nothing";
    file->expected = value[0];
    if (file->expected != file->sum % 256)
        return "the sum is wrong";
    return NULL;
}

static const char *read_value(struct file *file, unsigned type, const unsigned char *value, unsigned len)
{
    switch (type) {
    case NAME:
        return read_name(value, len);
    case WIDTH:
        return read_width(file, value, len);
    case DATA:
        file->data_len = len;
        return len > 0 ? NULL : "no data";
    case FLAGS:
        return read_flags(file, value, len);
    case NOTE: case 6: case 7:
        return NULL;
    case SUM:
        return read_sum(file, value, len);
    default:
        return "unknown type";
    }
}

/* Counts a record whose value is right. */
static const char *add_record(struct file *file, unsigned type, const unsigned char *value, unsigned len)
{
    static const unsigned order[] = {NAME, WIDTH, DATA, SUM};

    if (file->has[type] && type != NOTE)
        return "a record twice";
    if (file->has[SUM] && type <= DATA)
        return "a record after the sum";
    file->has[type] = 1;
    file->n_records++;
    if (type <= DATA) {
        for (unsigned i = 0; i < len; i++)
            file->sum += value[i];
    }
    if (file->stage < 4 && order[file->stage] == type)
        file->stage++;
    return NULL;
}

static const char *read_file(struct file *file, const unsigned char *in, size_t n)
{
    size_t at = 0;

    while (at < n) {
        const unsigned char *value;
        const char *error;
        unsigned type, len;

        if (file->n_records == MAX_RECORDS)
            return "too many records";
        if (n - at < 2)
            return "half a header";
        type = in[at];
        len = in[at + 1];
        value = in + at + 2;
        if (len > n - at - 2)
            return "half a value";
        error = read_value(file, type, value, len);
        if (!error)
            error = add_record(file, type, value, len);
        if (error)
            return error;
        at += 2 + (size_t)len;
    }
    return file->n_records > 0 ? NULL : "no records";
}

int main(void)
{
    static unsigned char in[MAX_INPUT];
    struct file file = {0};
    const char *error = read_file(&file, in, fread(in, 1, sizeof in, stdin));

    if (error) {
        fprintf(stderr, "records: %s\n", error);
        return 1;
    }
    if (file.stage == 4 && file.width == 600 && file.data_len >= 5 && file.expected == 77)
        abort(); // the goal
    printf("%d records, sum %u, flags %u\n", file.n_records, file.sum, file.flags);
    return 0;
}
