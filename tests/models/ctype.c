// Character classes, as functions and as the macros of the header.
#include "model.h"
#include <ctype.h>

/* Any character, or EOF. */
static int character(const unsigned char *in)
{
    return pick(8) ? *in : pick(2) ? in[1] - 1 : EOF;
}

/* A class is a bit somewhere in the result. */
#define CLASS(name)                                                          \
    CASES(name, TEXT, 2) { see_number((name)(character(in)) != 0); }         \
    CASES_AS(name##_macro, "-", TEXT, 2) { see_number(name(*in) != 0); }
CLASS(isalnum)
CLASS(isalpha)
CLASS(isblank)
CLASS(iscntrl)
CLASS(isdigit)
CLASS(isgraph)
CLASS(islower)
CLASS(isprint)
CLASS(ispunct)
CLASS(isspace)
CLASS(isupper)
CLASS(isxdigit)

#define MAPPING(name)                                                        \
    CASES(name, TEXT, 2) { see_number((name)(character(in))); }              \
    CASES_AS(name##_macro, "-", TEXT, 2) { see_number(name(*in)); }
MAPPING(isascii)
MAPPING(toascii)

/* The same in a locale of its own. */
static locale_t own_locale(void)
{
    static locale_t locale;
    if (!locale)
        locale = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    return locale;
}
#define CLASS_IN_LOCALE(name) \
    CASES(name, TEXT, 2) { see_number((name)(character(in), own_locale()) != 0); }
CLASS_IN_LOCALE(isalnum_l)
CLASS_IN_LOCALE(isalpha_l)
CLASS_IN_LOCALE(isdigit_l)
CLASS_IN_LOCALE(ispunct_l)
CLASS_IN_LOCALE(isspace_l)
CLASS_IN_LOCALE(isupper_l)
CASES(tolower_l, TEXT, 2) { see_number((tolower_l)(character(in), own_locale())); }
CASES(toupper_l, TEXT, 2) { see_number((toupper_l)(character(in), own_locale())); }

/* These are macros only where functions are inlined, which is not so in the instrumented build. */
CASES(tolower, TEXT, 2) { see_number(tolower(character(in))); }
CASES(toupper, TEXT, 2) { see_number(toupper(character(in))); }
