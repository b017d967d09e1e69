// A robot's language with loops, scanned by flex and parsed by bison: it breaks when it stands on one place.
//~ STDIN: "right 2\nup 1\n"
//~ MAX-LEN: 48
//~ FINDS: division-by-zero slope
//~ SOLUTION: "repeat 3 left 1 up 2 end"
#include "loop.h"

#include <stdio.h>

static int x = 3, y;

int yyparse(void);

static int slope(void)
{
    return 60 * y / x; //~ HERE
}

void move(int dx, int dy)
{
    x += dx;
    y += dy;
}

void yyerror(const char *message)
{
    printf("%s\n", message);
}

int main(void)
{
    if (yyparse() != 0)
        return 1;
    if (y < 6) {
        puts("on its way");
        return 0;
    }
    printf("slope %d\n", slope());
    return 0;
}
