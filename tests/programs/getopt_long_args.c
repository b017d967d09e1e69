// getopt_long on a symbolic command line: full and abbreviated names, values,
// a flag that the library sets, an ambiguous and an unknown name.
//~ ARGS: --level=7 --verb in --out file --co --le 3 -s --nothing --quiet=x
//~ SYMBOLIC-ARGS
#include <getopt.h>
#include <stdio.h>

static int quiet;

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"level", required_argument, NULL, 'l'},
        {"verbose", no_argument, NULL, 'v'},
        {"version", no_argument, NULL, 'V'},
        {"output", required_argument, NULL, 'o'},
        {"color", optional_argument, NULL, 'c'},
        {"count", no_argument, NULL, 'C'},
        {"quiet", no_argument, &quiet, 1},
        {NULL, 0, NULL, 0},
    };
    int level = 0, verbose = 0, errors = 0, index = -1, option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "l:vsW;", options, &index)) != -1) {
        switch (option) {
        case 'l': level = optarg[0] - '0'; break;
        case 'v': verbose++; break;
        case 'V': puts("version"); break;
        case 'o':
            if (optarg[0] == 'f')
                puts("file");
            break;
        case 'c': puts(optarg ? "colour" : "color"); break;
        case 's': puts("short"); break;
        case 0: printf("option %d\n", index); break;
        case '?':
            errors++;
            if (optopt == 'q')
                puts("no q");
            break;
        }
    }
    if (level == 3)
        puts("three");
    if (optind < argc && argv[optind][0] == 'i')
        puts("operand");
    printf("%d %d %d %d\n", verbose, errors, quiet, argc - optind);
    return 0;
}
