/* What the support uses in place of the C library.
 *
 * A program may define any function of the library itself: for its own use,
 * with another meaning, with another type. The linker gives such a definition
 * to everything in the link, so nothing that Gimlet adds may call the library
 * by a name that a program can define. Allowed are:
 *
 * - what is here: system calls, and loops that the compiler must not turn into
 *   calls again (-ffreestanding; the few calls that it makes all the same are
 *   renamed to those of own.c);
 * - names that C reserves for the library (__fork, __environ, __errno_location);
 * - gimlet_own_find, for what only the library can do (exit);
 * - __real_NAME, what the program itself would have called (sources.c, loader.c).
 *
 * tests/driver/own_functions.sh holds all archives to it.
 *
 * System calls give the negated error and leave errno alone.
 */
#ifndef GIMLET_OWN_H
#define GIMLET_OWN_H

#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define WEAK __attribute__((weak))
#define HIDDEN __attribute__((visibility("hidden")))

/* own.c: a function of the C library itself, whatever else has its name; null in static programs. */
HIDDEN void *gimlet_own_find(const char *name);
/* own.c: a function of the image whose header is here; null if it exports none of that name. */
HIDDEN void *gimlet_own_find_at(const void *header, const char *name);
/* own.c: path of the image that this copy of the support is in; "" for the program. */
HIDDEN const char *gimlet_own_image(void);

extern char **__environ;

static inline long own_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define OWN_CALL(number, a, b, c, d, e, f) \
    own_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int own_open(const char *path, int flags, int mode)
{
    return OWN_CALL(SYS_openat, AT_FDCWD, path, flags, mode, 0, 0);
}

static inline long own_read(int fd, void *to, size_t n)
{
    return OWN_CALL(SYS_read, fd, to, n, 0, 0, 0);
}

static inline long own_write(int fd, const void *from, size_t n)
{
    return OWN_CALL(SYS_write, fd, from, n, 0, 0, 0);
}

static inline int own_close(int fd)
{
    return OWN_CALL(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline int own_fstat(int fd, struct stat *status)
{
    return OWN_CALL(SYS_fstat, fd, status, 0, 0, 0, 0);
}

/* Null if there is no room. */
static inline void *own_map(void *at, size_t len, int flags, int fd, uint64_t offset)
{
    long got = OWN_CALL(SYS_mmap, at, len, PROT_READ | PROT_WRITE, flags, fd, offset);
    return got < 0 && got > -4096 ? NULL : (void *)got;
}

static inline void own_unmap(void *at, size_t len)
{
    OWN_CALL(SYS_munmap, at, len, 0, 0, 0, 0);
}

__attribute__((noreturn)) static inline void own_exit(int status)
{
    for (;;)
        OWN_CALL(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* As abort does: a handler of the program's runs, and if it returns the process ends all the same. Inline, because a jump to it
 * would take its caller (reach_error, say) off the stack, by which the kind of a finding is told. */
__attribute__((noreturn, always_inline)) static inline void own_abort(void)
{
    uint64_t mask = (uint64_t)1 << (SIGABRT - 1);
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } standard = {NULL, 0, NULL, 0};
    for (int attempt = 0; attempt < 2; attempt++) {
        OWN_CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof mask, 0, 0);
        OWN_CALL(SYS_tgkill, OWN_CALL(SYS_getpid, 0, 0, 0, 0, 0, 0), OWN_CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGABRT, 0, 0,
                 0);
        OWN_CALL(SYS_rt_sigaction, SIGABRT, &standard, NULL, sizeof mask, 0, 0);
    }
    own_exit(127);
}

static inline size_t own_strlen(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

static inline int own_is_equal(const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const char *)a)[i] != ((const char *)b)[i])
            return 0;
    return 1;
}

static inline int own_is_same(const char *a, const char *b)
{
    size_t n = own_strlen(a);
    return n == own_strlen(b) && own_is_equal(a, b, n);
}

static inline void own_copy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = ((const char *)from)[i];
}

static inline void own_zero(void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = 0;
}

/* Appends to a text in a buffer, and ends it with a zero; what has no room is left out. */
static inline size_t own_append(char *buffer, size_t size, size_t at, const char *text)
{
    while (*text && at + 1 < size)
        buffer[at++] = *text++;
    buffer[at] = 0;
    return at;
}

static inline size_t own_append_number(char *buffer, size_t size, size_t at, uint64_t number)
{
    char digits[24];
    size_t first = sizeof digits - 1;
    digits[first] = 0;
    do
        digits[--first] = '0' + number % 10;
    while (number /= 10);
    return own_append(buffer, size, at, digits + first);
}

/* A decimal number, and where it ends; -1 without a digit. */
static inline int own_number(const char **text)
{
    int number = -1;
    while (**text >= '0' && **text <= '9' && number < 100000000)
        number = (number < 0 ? 0 : number) * 10 + *(*text)++ - '0';
    return number;
}

/* Where a variable is in the environment. The program's variable `environ` may be another one. */
static inline char **own_variable(const char *name)
{
    size_t n = own_strlen(name);
    for (char **at = __environ; at && *at; at++)
        if (own_is_equal(*at, name, n) && (*at)[n] == '=')
            return at;
    return NULL;
}

static inline const char *own_getenv(const char *name)
{
    char **at = own_variable(name);
    return at ? *at + own_strlen(name) + 1 : NULL;
}

static inline void own_complain(const char *path, const char *what)
{
    char text[512];
    size_t n = own_append(text, sizeof text, 0, "gimlet: ");
    n = own_append(text, sizeof text - 64, n, path);
    n = own_append(text, sizeof text, n, ": ");
    n = own_append(text, sizeof text, n, what);
    n = own_append(text, sizeof text, n, "\n");
    own_write(2, text, n);
}

#endif
