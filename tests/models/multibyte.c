// Characters of several bytes, one at a time, and classes and cases of wide characters.
#include "model.h"
#include "utf8.h"
#include <limits.h>
#include <wchar.h>
#include <wctype.h>

static void see_state(const mbstate_t *state)
{
    see(state, sizeof *state, "state");
}

/* The bytes left over are many or few. */
CASES(mbrlen, UTF8, 6)
{
    mbstate_t state = {0};
    see_number(mbrlen(bytes(0, in, 6), pick(3) ? 6 : pick(4), &state));
    see_state(&state);
    see_errno();
}

/* A part of a character that the library keeps by itself would be there in the next case, and some, as \xe0\x80, for
 * ever: what may end in the middle of one has a state of its own. */
CASES(mbrtowc, UTF8, 6)
{
    mbstate_t state = {0};
    wchar_t wide = -7;
    size_t n = pick(3) ? 6 : pick(4);
    see_number(mbrtowc(pick(8) ? &wide : NULL, bytes(0, in, 6), n, n < 6 || pick(4) ? &state : NULL));
    see(&wide, sizeof wide, "wide");
    see_state(&state);
    see_errno();
    see_number(mbrtowc(NULL, NULL, 0, NULL));
}

/* As the bytes come. */
CASES_AS(mbrtowc_pieces, "mbrtowc", UTF8, 6)
{
    mbstate_t state = {0};
    const char *from = bytes(0, in, 6);
    for (int i = 0; i < 6;) {
        int n = 1 + pick(3);
        wchar_t wide = -7;
        if (n > 6 - i)
            n = 6 - i;
        size_t got = mbrtowc(&wide, from + i, n, &state);
        see_number(got);
        see(&wide, sizeof wide, "wide");
        see_state(&state);
        if (got == (size_t)-1)
            break;
        i += got == (size_t)-2 ? n : got ? got : 1;
    }
}

CASES_AS(mbrtowc_limit, "mbrtowc", UTF8, 6)
{
    mbstate_t state = {0};
    wchar_t wide = -7;
    see_number(mbrtowc(&wide, bytes(0, in, 6), in[5] & 7, &state));
    see(&wide, sizeof wide, "wide");
}

CASES(mbsinit, UTF8, 4)
{
    mbstate_t state = {0};
    see_number(mbrlen(bytes(0, in, 4), 1 + pick(3), &state));
    see_number(mbsinit(&state));
    memcpy(&state, in, 4);
    see_number(mbsinit(&state) != 0);
}

CASES(mblen, UTF8, 6)
{
    see_number(mblen(bytes(0, in, 6), pick(3) ? 6 : pick(4)));
    see_errno();
}

CASES(mbtowc, UTF8, 6)
{
    wchar_t wide = -7;
    const char *from = bytes(0, in, 6);
    if (pick(3))
        see_number(mbtowc(NULL, NULL, 0));
    see_number(mbtowc(pick(8) ? &wide : NULL, from, pick(3) ? 6 : pick(4)));
    see(&wide, sizeof wide, "wide");
    see_errno();
    see_number(mbtowc(&wide, from + 3, 3));
    see(&wide, sizeof wide, "wide");
    mbtowc(NULL, NULL, 0);
}

/* Characters of all sizes, most of them small. */
static wint_t wide(const unsigned char *in)
{
    switch (pick(4)) {
    case 0: return number(in, 4) & (pick(2) ? 0x1fffff : 0xffffffff);
    case 1: return number(in, 2) & 0x7ff;
    default: return *in;
    }
}

CASES(btowc, BYTES, 4) { see_number(btowc(pick(8) ? (int)*in : (int)number(in, 4))); }
CASES(wctob, BYTES, 4) { see_number(wctob(wide(in))); }

#define CLASS(name) \
    CASES(name, BYTES, 4) { see_number(name(wide(in)) != 0); }
CLASS(iswalnum)
CLASS(iswalpha)
CLASS(iswblank)
CLASS(iswcntrl)
CLASS(iswdigit)
CLASS(iswgraph)
CLASS(iswlower)
CLASS(iswprint)
CLASS(iswpunct)
CLASS(iswspace)
CLASS(iswupper)
CLASS(iswxdigit)
CASES(towlower, BYTES, 4) { see_number(towlower(wide(in))); }
CASES(towupper, BYTES, 4) { see_number(towupper(wide(in))); }

static const char *class(void)
{
    static const char *const classes[] = {"alpha", "digit", "space", "upper", "none"};
    return classes[pick(5)];
}
CASES(iswctype, BYTES, 4) { see_number(iswctype(wide(in), wctype(class())) != 0); }
CASES(towctrans, BYTES, 4) { see_number(towctrans(wide(in), wctrans(pick(2) ? "tolower" : "toupper"))); }

static locale_t own_locale(void)
{
    static locale_t locale;
    if (!locale)
        locale = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    return locale;
}
#define CLASS_IN_LOCALE(name) \
    CASES(name, BYTES, 4) { see_number(name(wide(in), own_locale()) != 0); }
CLASS_IN_LOCALE(iswalpha_l)
CLASS_IN_LOCALE(iswdigit_l)
CLASS_IN_LOCALE(iswspace_l)
CASES(towlower_l, BYTES, 4) { see_number(towlower_l(wide(in), own_locale())); }
CASES(towupper_l, BYTES, 4) { see_number(towupper_l(wide(in), own_locale())); }
