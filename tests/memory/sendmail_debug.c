// Debug levels are set by an argument -dCATEGORY.LEVEL; a category that is large enough is negative, and passes the check.
//~ ARGS: -d0000000005.1
//~ SYMBOLIC-ARGS
//~ FINDS: global-out-of-bounds set_debug
//~ SOLUTION arg1: "-d4294967290.1"
#include <stdio.h>
#include <string.h>

enum { N_CATEGORIES = 20 };

static unsigned char levels[N_CATEGORIES];

static unsigned number(const char **text)
{
    unsigned value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        value = value * 10 + (unsigned)(**text - '0');
    return value;
}

static void set_debug(const char *text)
{
    int category = (int)number(&text);
    unsigned level = 1;
    if (*text == '.') {
        text++;
        level = number(&text);
    }
#ifdef FIXED
    if (category < 0 || category >= N_CATEGORIES)
        category = N_CATEGORIES - 1;
#else
    if (category >= N_CATEGORIES)
        category = N_CATEGORIES - 1;
#endif
    levels[category] = (unsigned char)level; //~ HERE
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-d", 2) == 0)
            set_debug(argv[i] + 2);
    for (int i = 0; i < N_CATEGORIES; i++)
        if (levels[i])
            printf("%d: %d\n", i, levels[i]);
    return 0;
}
