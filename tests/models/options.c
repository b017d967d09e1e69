// Options of a command line.
#include "model.h"
#include <getopt.h>

static char words[5][9];
static char *arguments[6];

static int arrange(const unsigned char *in)
{
    int n = 2 + pick(4);
    for (int i = 0; i < 8; i++)
        words[0][i] = "program"[i % 8];
    for (int w = 1; w < 5; w++)
        for (int i = 0; i < 8; i++)
            words[w][i] = in[8 * (w - 1) + i];
    for (int w = 0; w < n; w++)
        arguments[w] = words[w];
    arguments[n] = NULL;
    optind = 0;
    opterr = 0;
    optopt = 0;
    optarg = NULL;
    return n;
}

/* The whole command line, and the order in which it then is. */
#define PARSE(call)                                                          \
    {                                                                        \
        int n = arrange(in);                                                 \
        const char *letters = ((const char *[]){"ab:c", "+ab:c::", "-ab:", ":ab:c"})[pick(4)]; \
        for (int i = 0; i < 5; i++) {                                        \
            int found = call;                                                \
            see_number(found);                                               \
            see_number(optind);                                              \
            see_number(optopt);                                              \
            see_place(optarg, words);                                        \
            if (found == -1)                                                 \
                break;                                                       \
        }                                                                    \
        for (int w = 0; w < n; w++)                                          \
            see_place(arguments[w], words);                                  \
    }

static const struct option longs[] = {
    {"add", no_argument, NULL, 1000},
    {"all", optional_argument, NULL, 1001},
    {"n", required_argument, NULL, 1002},
    {NULL, 0, NULL, 0},
};

CASES(getopt, WORDS, 32) PARSE(getopt(n, arguments, letters))
CASES(getopt_long, WORDS, 32) PARSE(getopt_long(n, arguments, letters, longs, NULL))
CASES(getopt_long_only, WORDS, 32) PARSE(getopt_long_only(n, arguments, letters, longs, NULL))
