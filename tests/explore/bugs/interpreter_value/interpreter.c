// A small language with variables, scanned by flex and parsed by bison: one value of one variable is a trap.
//~ STDIN: "let a = 1;\nprint a + 2;\n"
//~ MAX-LEN: 40
//~ FINDS: abort assign
//~ SOLUTION: "let q = 4 * 16 + 1;"
#include "interpreter.h"

#include <stdio.h>
#include <stdlib.h>

static int variables[26];

int yyparse(void);

int value_of(int name)
{
    return variables[name];
}

void assign(int name, int value)
{
    variables[name] = value;
    if (name == 'q' - 'a' && value == 65)
        abort(); //~ HERE
}

void yyerror(const char *message)
{
    printf("%s\n", message);
}

int main(void)
{
    return yyparse();
}
