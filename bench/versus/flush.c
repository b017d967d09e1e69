/* Linked into the gcov build: a program that a signal ends writes its counters first, as exit does. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

extern void __gcov_dump(void);

static char stack[1 << 18]; /* the program's own may have overflowed */
static volatile sig_atomic_t is_dumping;

static void flush(int number)
{
    if (!is_dumping) {
        is_dumping = 1;
        __gcov_dump();
    }
    _exit(128 + number);
}

__attribute__((constructor)) static void install(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGSYS, SIGPIPE };
    stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction action = { .sa_handler = flush, .sa_flags = SA_ONSTACK };
    sigaltstack(&alternate, NULL);
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++)
        sigaction(signals[index], &action, NULL);
}
