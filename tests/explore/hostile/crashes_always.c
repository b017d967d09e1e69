// It crashes on every input, before it reads any: one finding, and an end.
//~ STDIN: "abc"
//~ FINDS: abort main
//~ SAYS: "abort"
//~ EXIT: 10
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    puts("not my day");
    fflush(stdout);
    abort(); //~ HERE
}
