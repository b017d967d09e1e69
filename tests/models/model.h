/* What the tests of library models share; README.md says how they work.
 *
 * A program that includes this has CASES(function, kind, size) { ... } for each
 * function under test. Its body makes one call: `in` is a part of the input of
 * `size` bytes of that kind, symbolic under a driver; pick() makes concrete
 * choices, the same in every run with one seed; see_*() observes. The body must
 * not branch on what the call gave, or the branch is all that is tested.
 */
#ifndef MODEL_H
#define MODEL_H

#define _GNU_SOURCE
#include <errno.h>
#include <gimlet.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Concrete choices. */

static uint64_t random_state;

static uint64_t random_next(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A number below N. */
static inline unsigned pick(unsigned n)
{
    return random_next() % n;
}

/* Kinds of input. */

static inline void BYTES(unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = random_next();
}

/* Of few characters, so that searches find something; some end early. */
static inline void TEXT(unsigned char *to, size_t n)
{
    static const char *const alphabets[] = {"ab", "aAbB", "abc ,;:-_", "hello, World 0123", "\xc3\xa9\xe2\x82\xac" "a"};
    const char *alphabet = alphabets[pick(5)];
    unsigned n_letters = 0;
    while (alphabet[n_letters])
        n_letters++;
    for (size_t i = 0; i < n; i++) {
        unsigned odd = pick(40);
        to[i] = odd == 0 ? 0 : odd == 1 ? 0x80 + pick(0x80) : (unsigned char)alphabet[pick(n_letters)];
    }
}

/* Blanks, a sign, a prefix, digits, and something behind them. */
static inline void NUMBER(unsigned char *to, size_t n)
{
    TEXT(to, n);
    size_t at = 0;
    while (at < n && pick(3) == 0)
        to[at++] = " \t\n"[pick(3)];
    if (at < n && pick(3) == 0)
        to[at++] = "+-"[pick(2)];
    if (at + 1 < n && pick(3) == 0) {
        to[at++] = '0';
        to[at++] = "x0X7"[pick(4)];
    }
    size_t n_digits = pick(5) ? pick(6) : pick(24);
    unsigned base = pick(3) ? 10 : 16;
    for (; at < n && n_digits > 0; n_digits--)
        to[at++] = "0123456789abcdef"[pick(base)];
    if (at < n && pick(2))
        to[at] = " ,\0g9"[pick(5)];
}

/* Floating-point numbers, whole and in pieces. */
static inline void FLOAT(unsigned char *to, size_t n)
{
    static const char *const beginnings[] = {"", " ", "-", "+", "0x", "0", ".", "inf", "INFINITY", "nan", "nan(", "1e", "0x1p", "-.5"};
    const char *beginning = beginnings[pick(sizeof beginnings / sizeof *beginnings)];
    for (size_t i = 0; i < n; i++)
        to[i] = pick(3) ? '0' + pick(10) : ".eE+-xXpPaf(nN) "[pick(16)];
    for (size_t i = 0; i < n && beginning[i]; i++)
        to[i] = beginning[i];
}

/* Values that are often equal. */
static inline void KEYS(unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = pick(4) ? pick(6) : random_next();
}

/* Words of a command line, each of 8 bytes. */
static inline void WORDS(unsigned char *to, size_t n)
{
    static const char words[][8] = {"-a", "-b", "-bx", "-ab", "--", "-", "-c", "word", "--add", "--all", "--n=1", "-z", "--a", ""};
    const char *word = words[0];
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0)
            word = words[pick(sizeof words / sizeof *words)];
        to[i] = word[i % 8];
    }
}

/* Buffers, each inside bytes that nobody should write. */

#define N_BUFFERS 3
#define BUFFER_SIZE 112
#define MARGIN 16
static unsigned char buffer0[BUFFER_SIZE], buffer1[BUFFER_SIZE], buffer2[BUFFER_SIZE];
static unsigned char *const buffers[N_BUFFERS] = {buffer0, buffer1, buffer2};

/* Room in buffer K, from where it begins this time. */
static inline char *room(int k)
{
    for (int i = 0; i < BUFFER_SIZE; i++)
        buffers[k][i] = 0xa0 + i % 7;
    return (char *)buffers[k] + MARGIN + pick(8);
}

/* N bytes of the input in buffer K. */
static inline void *bytes(int k, const unsigned char *from, size_t n)
{
    char *to = room(k);
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    return to;
}

/* The same as a string. */
static inline char *text(int k, const unsigned char *from, size_t n)
{
    char *to = bytes(k, from, n);
    to[n] = 0;
    return to;
}

/* Symbolic numbers. */

static inline uint64_t number(const unsigned char *from, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* A size below N, a power of two: now and then one of the input. */
static inline size_t size_below(unsigned n, const unsigned char *from)
{
    return pick(4) ? pick(n) : *from & (n - 1);
}

/* Observations. */

static inline void see(const void *p, size_t n, const char *name)
{
    gimlet_observe(p, n, name);
}

static inline void see_number(int64_t value)
{
    see(&value, sizeof value, "result");
}

/* A pointer as an offset from BASE, or all ones for a null pointer, without a branch. */
static inline void see_place(const void *p, const void *base)
{
    uint64_t null = -(uint64_t)(p == NULL);
    uint64_t offset = (((uintptr_t)p - (uintptr_t)base) & ~null) | null;
    see(&offset, sizeof offset, "place");
}

static inline void see_buffer(int k)
{
    static const char *const names[] = {"buffer 0", "buffer 1", "buffer 2"};
    see(buffers[k], BUFFER_SIZE, names[k]);
}

static inline void see_errno(void)
{
    int error = errno;
    see(&error, sizeof error, "errno");
}

/* A string of unknown length: its zeros are branches. */
static inline void see_string(const char *p)
{
    static char copy[256];
    size_t n = 0;
    do
        copy[n] = p[n];
    while (p[n++] != 0 && n < sizeof copy);
    see(copy, n, "string");
}

/* The table of functions. */

struct cases {
    const char *group, *model;
    void (*kind)(unsigned char *, size_t);
    size_t size;
    void (*run)(unsigned char *);
};

static struct cases functions[128];
static int n_functions;

static void add_cases(struct cases cases)
{
    if (n_functions == sizeof functions / sizeof *functions)
        abort();
    functions[n_functions++] = cases;
}

/* Cases of one function, shown as `group`, whose model is called `model`; "-" if it needs none. */
#define CASES_AS(group, model, kind, size)                                           \
    static void case_##group(unsigned char *in);                                     \
    __attribute__((constructor)) static void add_##group(void)                       \
    {                                                                                \
        add_cases((struct cases){#group, model, kind, size, case_##group});          \
    }                                                                                \
    static void case_##group(unsigned char *in __attribute__((unused)))
#define CASES(function, kind, size) CASES_AS(function, #function, kind, size)

/* The same for a function that not every libc has; it must be declared weak. */
#define CASES_IF(function, kind, size)                                               \
    static void case_##function(unsigned char *in);                                  \
    __attribute__((constructor)) static void add_##function(void)                    \
    {                                                                                \
        if (function)                                                                \
            add_cases((struct cases){#function, #function, kind, size, case_##function}); \
    }                                                                                \
    static void case_##function(unsigned char *in __attribute__((unused)))

static unsigned char input[1 << 20];

static int is_asked_for(const char *group, char **names)
{
    for (char **name = names; *name; name++)
        if (strcmp(group, *name) == 0)
            return 1;
    return !*names;
}

/* Begins the choices of a case; those of its input are others than those of its call. They do not depend on which
 * functions there are besides. */
static void seed_case(uint64_t seed, const char *group, int number, int what)
{
    random_state = seed;
    for (; *group; group++)
        random_state = (random_state ^ (unsigned char)*group) * 0x100000001b3;
    random_state += number * 2 + what;
    random_state = random_next();
}

static size_t make_input(uint64_t seed, int n_cases, char **names)
{
    size_t at = 0;
    for (int f = 0; f < n_functions; f++)
        for (int i = 0; i < n_cases && is_asked_for(functions[f].group, names); i++) {
            if (at + functions[f].size > sizeof input)
                abort();
            seed_case(seed, functions[f].group, i, 0);
            functions[f].kind(input + at, functions[f].size);
            at += functions[f].size;
        }
    return at;
}

static void run_cases(uint64_t seed, int n_cases, char **names)
{
    size_t at = 0;
    for (int f = 0; f < n_functions; f++)
        for (int i = 0; i < n_cases && is_asked_for(functions[f].group, names); i++) {
            seed_case(seed, functions[f].group, i, 1);
            see(NULL, 0, functions[f].group);
            see(input + at, functions[f].size, "input");
            for (int k = 0; k < N_BUFFERS; k++)
                room(k);
            errno = 0;
            functions[f].run(input + at);
            at += functions[f].size;
        }
}

/* Sets a locale of the system, or one in a folder of its own. */
static int set_locale(char *name)
{
    char *slash = strrchr(name, '/');
    if (slash) {
        *slash = 0;
        setenv("LOCPATH", name, 1);
        name = slash + 1;
    }
    return setlocale(LC_ALL, name) != NULL;
}

/* list: each function and its model. input SEED CASES [FUNCTION..]: an input. run LOCALE SEED CASES [FUNCTION..]: the
 * cases, on the input. */
int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int f = 0; f < n_functions; f++)
            printf("%s %s\n", functions[f].group, functions[f].model);
        return 0;
    }
    if (argc >= 4 && strcmp(argv[1], "input") == 0) {
        size_t n = make_input(atoi(argv[2]), atoi(argv[3]), argv + 4);
        return fwrite(input, 1, n, stdout) == n ? 0 : 1;
    }
    if (argc >= 5 && strcmp(argv[1], "run") == 0) {
        if (!set_locale(argv[2]))
            return 2;
        size_t got = 0;
        ssize_t n;
        while ((n = read(0, input + got, sizeof input - got)) > 0)
            got += n;
        run_cases(atoi(argv[3]), atoi(argv[4]), argv + 5);
        return 0;
    }
    return 2;
}

#endif
