// Several arguments, one of them empty, one given as an option's value.
//~ ARGS: "" -k word x
//~ SYMBOLIC-ARGS
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 5 || argv[argc] || argv[1][0])
        return 1;
    if (strcmp(argv[2], "-k") == 0 && strlen(argv[3]) == 4)
        puts("a key of four");
    else if (argv[2][0] == '-')
        puts("another option");
    if (argv[3][0] == argv[4][0])
        puts("the same beginning");
    if (!argv[4][0])
        puts("cut");
    return 0;
}
