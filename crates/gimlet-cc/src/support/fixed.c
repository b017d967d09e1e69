/* What is not input, the same in every run: the time, random numbers, the processor.
 *
 * Acts if the driver says so with GIMLET_FIXED=1, which the program does not see,
 * and before anything else of the program runs. Without the variable, and in
 * programs with rights that their caller has not, it does nothing.
 *
 * A library that was compiled by another compiler asks for the time as well, and
 * so does the C library for itself. So no calls are redirected, but the functions
 * that answer are replaced in the memory of this process: those of the kernel's
 * image (vDSO), through which all of the C library's ways to the clock lead, and
 * a few of the C library. Each begins with a jump to one of those here from then on.
 *
 * - Clocks of the day begin at 2001-09-09 01:46:40 UTC, those since boot at 10 s,
 *   those of processor time at 0. Each query adds 1 ms, and a wait that took its whole
 *   time adds that, so that a loop that waits for a time ends. All begin in the
 *   past: a call that waits for a moment of theirs, which the kernel compares with its
 *   own clock, returns at once; one in the future would wait for years.
 * - Random numbers are those of a generator (splitmix64) that always begins at the
 *   same place.
 * - Waits are real, and may be cancelled.
 *
 * Not fixed are system calls that a program makes by itself, instructions (rdtsc,
 * rdrand), processes' numbers, and in static programs all but the time.
 */
#define _GNU_SOURCE
#include "own.h"
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#define VARIABLE "GIMLET_FIXED"
#define SECOND 1000000000ll
#define MILLISECOND 1000000ll
#define QUERY MILLISECOND
#define DAY_START (1000000000ll * SECOND)
#define BOOT_START (10 * SECOND)
#define PAGE 4096ul
#define SIGSET_SIZE 8
#define JUMP_LEN 12
/* As the kernel's: a larger request gets that many. */
#define RANDOM_MAX 33554431ul
#define ENTROPY_MAX 256

/* Nanoseconds that have passed. */
static int64_t passed;
static uint64_t generator;
static int (*set_cancel_type)(int, int *);

/* There is none where a program is linked without the C library. */
extern WEAK int *__errno_location(void);

static int fail(int error)
{
    if (__errno_location)
        *__errno_location() = error;
    return -1;
}

static long result_of(long result)
{
    return result < 0 && result > -4096 ? fail((int)-result) : result;
}

/* Time */

static void pass(int64_t ns)
{
    if (ns > 0)
        __atomic_add_fetch(&passed, ns, __ATOMIC_RELAXED);
}

static int64_t query(void)
{
    return __atomic_add_fetch(&passed, QUERY, __ATOMIC_RELAXED);
}

/* Where a clock begins; -1 for those that are none of ours. */
static int64_t start_of(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return DAY_START;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return BOOT_START;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    }
    return -1;
}

static struct timespec as_timespec(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

static struct timeval as_timeval(int64_t ns)
{
    return (struct timeval){ns / SECOND, ns % SECOND / 1000};
}

/* A time that a call was given, cut where it would not fit: nobody waits for 200 years. */
static int64_t as_ns(int64_t seconds, int64_t ns)
{
    return seconds > INT64_MAX / SECOND / 2 ? INT64_MAX / 2 : seconds * SECOND + ns;
}

/* The kernel's function: errors as the kernel gives them, from which the C library makes errno. */
static int gimlet_fixed_clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t start = start_of(clock);
    if (start < 0)
        return OWN_CALL(SYS_clock_gettime, clock, now, 0, 0, 0, 0);
    *now = as_timespec(start + query());
    return 0;
}

static int gimlet_fixed_gettimeofday(struct timeval *now, struct timezone *zone)
{
    if (now)
        *now = as_timeval(DAY_START + query());
    if (zone)
        *zone = (struct timezone){0, 0};
    return 0;
}

static time_t gimlet_fixed_time(time_t *out)
{
    time_t now = (DAY_START + query()) / SECOND;
    if (out)
        *out = now;
    return now;
}

static int gimlet_fixed_getcpu(unsigned *processor, unsigned *node)
{
    if (processor)
        *processor = 0;
    if (node)
        *node = 0;
    return 0;
}

/* The C library has it from a place that the kernel keeps up to date. */
static int gimlet_fixed_sched_getcpu(void)
{
    return 0;
}

static clock_t gimlet_fixed_times(struct tms *out)
{
    const int64_t tick = SECOND / 100;
    int64_t now = query();
    if (out)
        *out = (struct tms){now / tick, 0, 0, 0};
    return (BOOT_START + now) / tick;
}

static int gimlet_fixed_getrusage(int who, struct rusage *usage)
{
    long result = OWN_CALL(SYS_getrusage, who, usage, 0, 0, 0, 0);
    if (result == 0) {
        own_zero(usage, sizeof *usage);
        usage->ru_utime = as_timeval(who == RUSAGE_CHILDREN ? 0 : query());
        usage->ru_maxrss = who == RUSAGE_CHILDREN ? 0 : 4096;
    }
    return (int)result_of(result);
}

/* Waits */

/* As the C library does it: a thread may be cancelled while it waits. */
static long gimlet_fixed_wait(long number, long a, long b, long c, long d, long e, long f)
{
    int before = 0;
    if (set_cancel_type)
        set_cancel_type(1, &before);
    long result = own_call(number, a, b, c, d, e, f);
    if (set_cancel_type)
        set_cancel_type(before, NULL);
    return result;
}

#define WAIT_IN(number, a, b, c, d, e, f) \
    gimlet_fixed_wait(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static int gimlet_fixed_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                                        struct timespec *rest)
{
    if (start_of(clock) <= 0)
        return (int)-WAIT_IN(SYS_clock_nanosleep, clock, flags, wanted, rest, 0, 0);
    if (wanted->tv_nsec < 0 || wanted->tv_nsec >= SECOND || wanted->tv_sec < 0)
        return EINVAL;
    int64_t ns = as_ns(wanted->tv_sec, wanted->tv_nsec);
    if (flags & TIMER_ABSTIME)
        ns -= start_of(clock) + __atomic_load_n(&passed, __ATOMIC_RELAXED);
    if (ns < 0)
        ns = 0;
    struct timespec real = as_timespec(ns), left = {0, 0};
    long result = WAIT_IN(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &real, &left, 0, 0);
    if (result == -EINTR) {
        pass(ns - as_ns(left.tv_sec, left.tv_nsec));
        if (rest && !(flags & TIMER_ABSTIME))
            *rest = left;
    } else {
        pass(ns);
    }
    return (int)-result;
}

static int gimlet_fixed_poll(struct pollfd *requests, nfds_t n, int timeout_ms)
{
    long result = WAIT_IN(SYS_poll, requests, n, timeout_ms, 0, 0, 0);
    if (result == 0)
        pass(timeout_ms * MILLISECOND);
    return (int)result_of(result);
}

static int gimlet_fixed_ppoll(struct pollfd *requests, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
    long result = WAIT_IN(SYS_ppoll, requests, n, timeout ? &left : NULL, mask, SIGSET_SIZE, 0);
    if (result == 0 && timeout)
        pass(as_ns(timeout->tv_sec, timeout->tv_nsec));
    return (int)result_of(result);
}

/* What the kernel says is left of the time depends on how fast everything was: all of it, or nothing. */
static int gimlet_fixed_select(int n, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout)
{
    struct timeval left = timeout ? *timeout : (struct timeval){0, 0};
    int64_t ns = timeout ? as_ns(left.tv_sec, left.tv_usec * 1000) : 0;
    long result = WAIT_IN(SYS_select, n, read, write, except, timeout ? &left : NULL, 0);
    if (result == 0 && timeout) {
        pass(ns);
        *timeout = (struct timeval){0, 0};
    }
    return (int)result_of(result);
}

static int gimlet_fixed_pselect(int n, fd_set *read, fd_set *write, fd_set *except, const struct timespec *timeout,
                                const sigset_t *mask)
{
    struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
    struct {
        const sigset_t *mask;
        size_t size;
    } masked = {mask, SIGSET_SIZE};
    long result = WAIT_IN(SYS_pselect6, n, read, write, except, timeout ? &left : NULL, &masked);
    if (result == 0 && timeout)
        pass(as_ns(timeout->tv_sec, timeout->tv_nsec));
    return (int)result_of(result);
}

static int gimlet_fixed_epoll_pwait(int epoll, struct epoll_event *events, int n, int timeout_ms, const sigset_t *mask)
{
    long result = WAIT_IN(SYS_epoll_pwait, epoll, events, n, timeout_ms, mask, SIGSET_SIZE);
    if (result == 0)
        pass(timeout_ms * MILLISECOND);
    return (int)result_of(result);
}

static int gimlet_fixed_epoll_wait(int epoll, struct epoll_event *events, int n, int timeout_ms)
{
    return gimlet_fixed_epoll_pwait(epoll, events, n, timeout_ms, NULL);
}

/* Random numbers */

static uint64_t random64(void)
{
    uint64_t z = __atomic_add_fetch(&generator, 0x9e3779b97f4a7c15ul, __ATOMIC_RELAXED);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

static void gimlet_fixed_fill(void *to, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++, word >>= 8) {
        if (i % sizeof word == 0)
            word = random64();
        ((unsigned char *)to)[i] = (unsigned char)word;
    }
}

static ssize_t gimlet_fixed_getrandom(void *to, size_t n, unsigned flags)
{
    if (flags & ~7u)
        return fail(EINVAL);
    n = n > RANDOM_MAX ? RANDOM_MAX : n;
    gimlet_fixed_fill(to, n);
    return (ssize_t)n;
}

static int gimlet_fixed_getentropy(void *to, size_t n)
{
    if (n > ENTROPY_MAX)
        return fail(EIO);
    gimlet_fixed_fill(to, n);
    return 0;
}

static uint32_t gimlet_fixed_arc4random(void)
{
    return (uint32_t)random64();
}

static uint32_t gimlet_fixed_arc4random_uniform(uint32_t bound)
{
    if (bound < 2)
        return 0;
    uint32_t number, least = -bound % bound;
    do
        number = gimlet_fixed_arc4random();
    while (number < least);
    return number % bound;
}

/* Replacing functions */

static const struct {
    const char *name;
    void *by;
} of_kernel[] = {
    {"__vdso_clock_gettime", (void *)gimlet_fixed_clock_gettime},
    {"__vdso_gettimeofday", (void *)gimlet_fixed_gettimeofday},
    {"__vdso_time", (void *)gimlet_fixed_time},
    {"__vdso_getcpu", (void *)gimlet_fixed_getcpu},
}, of_library[] = {
    {"sched_getcpu", (void *)gimlet_fixed_sched_getcpu},
    {"getcpu", (void *)gimlet_fixed_getcpu},
    {"times", (void *)gimlet_fixed_times},
    {"getrusage", (void *)gimlet_fixed_getrusage},
    {"clock_nanosleep", (void *)gimlet_fixed_clock_nanosleep},
    {"poll", (void *)gimlet_fixed_poll},
    {"ppoll", (void *)gimlet_fixed_ppoll},
    {"select", (void *)gimlet_fixed_select},
    {"pselect", (void *)gimlet_fixed_pselect},
    {"epoll_wait", (void *)gimlet_fixed_epoll_wait},
    {"epoll_pwait", (void *)gimlet_fixed_epoll_pwait},
    {"getrandom", (void *)gimlet_fixed_getrandom},
    {"getentropy", (void *)gimlet_fixed_getentropy},
    {"arc4random", (void *)gimlet_fixed_arc4random},
    {"arc4random_buf", (void *)gimlet_fixed_fill},
    {"arc4random_uniform", (void *)gimlet_fixed_arc4random_uniform},
};

#define N_OF(array) (sizeof(array) / sizeof *(array))

static int protect(uintptr_t first, uintptr_t end, int how)
{
    return (int)OWN_CALL(SYS_mprotect, first, end - first, how, 0, 0, 0);
}

/* Writes `movabs $by, %rax; jmp *%rax` over the beginning of a function. */
static void write_jump(void *function, const void *by)
{
    unsigned char jump[JUMP_LEN] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    own_copy(jump + 2, &by, sizeof by);
    own_copy(function, jump, sizeof jump);
}

/* A system that refuses writable code keeps its own answers. */
static void replace_in_library(void)
{
    for (size_t i = 0; i < N_OF(of_library); i++) {
        uintptr_t at = (uintptr_t)gimlet_own_find(of_library[i].name);
        uintptr_t first = at & -PAGE, end = (at + JUMP_LEN + PAGE - 1) & -PAGE;
        if (at && protect(first, end, PROT_READ | PROT_WRITE) == 0) {
            write_jump((void *)at, of_library[i].by);
            protect(first, end, PROT_READ | PROT_EXEC);
        }
    }
}

/* The kernel's image is one mapping that must not be split; headers of sections may lie behind what is loaded. */
static void replace_in_kernel_image(uintptr_t first)
{
    const ElfW(Ehdr) *elf = (const void *)first;
    const ElfW(Phdr) *segments = (const void *)(first + elf->e_phoff);
    uintptr_t end = first;
    for (size_t i = 0; i < elf->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && first + segments[i].p_offset + segments[i].p_filesz > end)
            end = first + segments[i].p_offset + segments[i].p_filesz;
    end = (end + PAGE - 1) & -PAGE;
    int result = protect(first, end, PROT_READ | PROT_WRITE);
    for (int n_more = 0; result == -EINVAL && n_more < 2; n_more++) {
        end += PAGE;
        result = protect(first, end, PROT_READ | PROT_WRITE);
    }
    if (result != 0)
        return;
    for (size_t i = 0; i < N_OF(of_kernel); i++) {
        void *function = gimlet_own_find_at(elf, of_kernel[i].name);
        if (function)
            write_jump(function, of_kernel[i].by);
    }
    protect(first, end, PROT_READ | PROT_EXEC);
}

/* Takes the driver's order out of the environment, if it is there. */
static int take_order(char **environment)
{
    static const char order[] = VARIABLE "=1";
    char **at = environment;
    while (*at && !own_is_same(*at, order))
        at++;
    if (!*at)
        return 0;
    for (; *at; at++)
        *at = at[1];
    return 1;
}

/* Before the program's first instruction. The runtimes' servers call it as well, because they fork. */
HIDDEN void gimlet_fixed_begin(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    char **end = environment;
    while (*end)
        end++;
    uint64_t is_privileged = 1, kernel = 0, random = 0;
    if (!take_order(environment))
        return;
    for (const uint64_t *pair = (const uint64_t *)(end + 1); pair[0] != AT_NULL; pair += 2) {
        if (pair[0] == AT_SECURE)
            is_privileged = pair[1];
        if (pair[0] == AT_SYSINFO_EHDR)
            kernel = pair[1];
        if (pair[0] == AT_RANDOM)
            random = pair[1];
    }
    if (is_privileged)
        return;
    if (random)
        gimlet_fixed_fill((void *)random, 16);
    if (kernel)
        replace_in_kernel_image(kernel);
    replace_in_library();
    set_cancel_type = (int (*)(int, int *))gimlet_own_find("pthread_setcanceltype");
}

/* What a link names to get all this. */
HIDDEN __attribute__((used, section(".preinit_array"))) void (*gimlet_fixed)(int, char **, char **) = gimlet_fixed_begin;
