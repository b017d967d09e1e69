// Short options by getopt, one of them with a number.
//~ ARGS: -a -n 12 rest
//~ SYMBOLIC-ARGS
//~ FINDS: division-by-zero report
//~ SOLUTION arg1: "-b"
//~ SOLUTION arg2: "-n"
//~ SOLUTION arg3: "64"
//~ SOLUTION arg4: "rest"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int report(int is_brief, int number)
{
    return is_brief ? 1000 / (64 - number) : number; //~ HERE
}

int main(int argc, char **argv)
{
    int is_brief = 0, number = 1, option;
    while ((option = getopt(argc, argv, "abn:")) != -1) {
        switch (option) {
        case 'a': break;
        case 'b': is_brief = 1; break;
        case 'n': number = (int)(strtol(optarg, NULL, 10) & 0xff); break;
        default: return 2;
        }
    }
    printf("%d\n", report(is_brief, number));
    return 0;
}
