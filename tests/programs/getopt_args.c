// getopt on a symbolic command line: flags in a bundle, arguments beside and
// behind their options, operands in between, an unknown letter.
//~ ARGS: -vx -n12 first -o out -q? -c second -- -v
//~ SYMBOLIC-ARGS
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int verbose = 0, extract = 0, errors = 0, number = 0;
    const char *output = "none", *color = NULL;
    int option;
    opterr = 0;
    while ((option = getopt(argc, argv, "vxn:o:c::")) != -1) {
        switch (option) {
        case 'v': verbose++; break;
        case 'x': extract++; break;
        case 'n':
            for (const char *s = optarg; *s >= '0' && *s <= '9'; s++)
                number = number * 10 + (*s - '0');
            break;
        case 'o': output = optarg; break;
        case 'c': color = optarg ? optarg : "default"; break;
        default:
            errors++;
            if (optopt == 'z')
                puts("no z");
        }
    }
    if (verbose && extract)
        puts("both");
    if (number == 12)
        puts("dozen");
    if (output[0] == 'o' && output[1] == 'u')
        puts("output");
    if (color && color[0] == 'd')
        puts("color");
    for (int i = optind; i < argc; i++)
        if (argv[i][0] == '-')
            puts("operand with a dash");
    printf("%d %d %d\n", errors, optind, argc);
    return 0;
}
