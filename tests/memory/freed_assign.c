// Variables share counted values; an assignment lets go of the old value before it takes the new one, which can be the same.
//~ STDIN: "a=1;b=2;c=a;d=c;"
//~ FINDS: use-after-free assign
//~ SOLUTION: "a=1;b=b;c=a;d=c;"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>

struct value {
    int n_refs;
    int number;
};

static struct value *variables[4];

static struct value *make(int number)
{
    struct value *value = malloc(sizeof *value);
    if (!value)
        exit(1);
    value->n_refs = 0;
    value->number = number;
    return value;
}

__attribute__((noinline)) static void release(struct value *value)
{
    if (value && --value->n_refs == 0)
        free(value);
}

static void assign(struct value **variable, struct value *value)
{
#ifdef FIXED
    value->n_refs++;
    release(*variable);
#else
    release(*variable);
    value->n_refs++; //~ HERE
#endif
    *variable = value;
}

static int statement(const char *text)
{
    int to = text[0] - 'a', from = text[2] - 'a';
    if (to < 0 || to >= 4 || text[1] != '=' || text[3] != ';')
        return -1;
    if (text[2] >= '0' && text[2] <= '9')
        assign(&variables[to], make(text[2] - '0'));
    else if (from >= 0 && from < 4)
        assign(&variables[to], variables[from]);
    else
        return -1;
    return 0;
}

int main(void)
{
    char text[4];
    for (int i = 0; i < 4; i++)
        assign(&variables[i], make(0));
    for (int i = 0; i < 6 && fread(text, 1, 4, stdin) == 4; i++)
        if (statement(text) != 0)
            break;
    for (int i = 0; i < 4; i++) {
        printf("%d\n", variables[i]->number);
        release(variables[i]);
    }
    return 0;
}
