// Command-line arguments as the symbolic input: short and long options, a
// number, bundled flags and operands.
//~ ARGS: -v --level=7 -n 12 -xz target
//~ SYMBOLIC-ARGS
#include <stdio.h>
#include <string.h>

struct options {
    int verbose, level, extract, compress, number, errors;
    unsigned operands;
};

static int parse(const char *s)
{
    int v = 0, negative = *s == '-';
    if (negative)
        s++;
    if (!*s)
        return -9999;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > 1000)
            return -9999;
        v = v * 10 + (*s - '0');
    }
    return negative ? -v : v;
}

static void bundle(struct options *o, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case 'v': o->verbose++; break;
        case 'x': o->extract = 1; break;
        case 'z': o->compress = 1; break;
        default: o->errors++; break;
        }
    }
}

int main(int argc, char **argv)
{
    struct options o = {0};
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (s[0] != '-' || !s[1]) {
            o.operands++;
            if (strlen(s) == 6 && s[5] == 't')
                puts("operand ends in t");
        } else if (s[1] == '-') {
            if (strncmp(s, "--level=", 8) == 0)
                o.level = parse(s + 8);
            else if (strcmp(s, "--verbose") == 0)
                o.verbose++;
            else
                o.errors++;
        } else if (strcmp(s, "-n") == 0 && i + 1 < argc) {
            o.number = parse(argv[++i]);
        } else {
            bundle(&o, s + 1);
        }
    }
    if (o.level == 9)
        puts("highest level");
    if (o.number == -9999)
        puts("not a number");
    else if (o.number > 50)
        puts("large number");
    if (o.verbose && o.extract && o.compress && !o.errors)
        puts("all flags");
    printf("%d %d %d %u\n", o.level, o.number, o.errors, o.operands);
    return o.errors ? 2 : 0;
}
