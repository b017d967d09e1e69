// A value is a number or a text, and can be shown as the other; a number shown as a text is used as the address of one.
//~ STDIN: "N12345678>N"
//~ FINDS: wild-dereference show
//~ SOLUTION: "N12345678>T"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
    char type;
    union {
        uint64_t number;
        const char *text;
    } as;
};

__attribute__((noinline)) static void cast(struct value *value, char type, char *space)
{
    if (value->type == 'T' && type == 'N') {
        value->as.number = strtoull(value->as.text, NULL, 10);
    } else if (value->type == 'N' && type == 'T') {
#ifdef FIXED
        sprintf(space, "%llu", (unsigned long long)value->as.number);
        value->as.text = space;
#else
        (void)space;
#endif
    }
    value->type = type;
}

__attribute__((noinline)) static void show(const struct value *value)
{
    if (value->type == 'N') {
        printf("%llu\n", (unsigned long long)value->as.number);
        return;
    }
    for (const char *c = value->as.text; *c; c++) //~ HERE
        putchar(*c); //~ HERE
    putchar('\n');
}

int main(void)
{
    char record[12] = {0}, text[9] = {0}, space[24];
    struct value value;
    if (fread(record, 1, 11, stdin) != 11 || record[9] != '>')
        return 1;
    if ((record[0] != 'N' && record[0] != 'T') || (record[10] != 'N' && record[10] != 'T'))
        return 1;
    value.type = record[0];
    memcpy(text, record + 1, 8);
    value.as.text = text;
    if (value.type == 'N')
        memcpy(&value.as.number, text, 8);
    if (value.type == 'N' && value.as.number == 0) {
        puts("nothing");
        return 0;
    }
    cast(&value, record[10], space);
    show(&value);
    return 0;
}
