// A line editor gives back the memory that a line does not need, and goes on with the old capacity.
//~ STDIN: "abc<de<f"
//~ FINDS: heap-out-of-bounds append
//~ SOLUTION: "abc!de<f"
#include <stdio.h>
#include <stdlib.h>

struct line {
    char *text;
    size_t len;
    size_t capacity;
};

static void resize(struct line *line, size_t size)
{
    char *text = realloc(line->text, size);
    if (!text)
        exit(1);
    line->text = text;
}

static void append(struct line *line, char c)
{
    if (line->len == line->capacity) {
        resize(line, line->capacity * 2);
        line->capacity *= 2;
    }
    line->text[line->len++] = c; //~ HERE
}

static void trim(struct line *line)
{
    size_t size = line->len ? line->len : 1;
    resize(line, size);
#ifdef FIXED
    line->capacity = size;
#endif
}

static void edit(struct line *line, char key)
{
    switch (key) {
    case '<':
        if (line->len)
            line->len--;
        break;
    case '!':
        trim(line);
        break;
    default:
        append(line, key);
    }
}

int main(void)
{
    char keys[16];
    struct line line = {NULL, 0, 8};
    size_t n_keys = fread(keys, 1, sizeof keys, stdin);
    resize(&line, line.capacity);
    for (size_t i = 0; i < n_keys; i++)
        edit(&line, keys[i]);
    fwrite(line.text, 1, line.len, stdout);
    putchar('\n');
    free(line.text);
    return 0;
}
