// Functions of the system that fill what they are given, here memory that was
// symbolic before. A byte may be overwritten by an equal one: its label must go
// all the same, and so nothing that is decided by it depends on the input.
//~ STDIN: "0000000000000000"
//~ EXIT: 0
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned char in[16];

/// Fills memory with symbolic bytes that hold zeros.
static void taint(void *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)at)[i] = in[i % sizeof in] - '0';
}

/// Decides by each byte.
static unsigned weigh(const void *at, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)at)[i] == 0)
            sum++;
    return sum;
}

int main(void)
{
    if (read(0, in, sizeof in) < 0)
        return 1;

    struct stat status;
    taint(&status, sizeof status);
    if (fstat(0, &status) == 0 && status.st_rdev == 0 && S_ISREG(status.st_mode))
        puts("a file");
    taint(&status, sizeof status);
    if (stat("/", &status) == 0 && S_ISDIR(status.st_mode) && status.st_rdev == 0)
        puts("a folder");

    time_t now;
    taint(&now, sizeof now);
    if (time(&now) < 1000 || now >> 40 != 0)
        puts("never");
    struct tm parts;
    taint(&parts, sizeof parts);
    time_t epoch = 0;
    gmtime_r(&epoch, &parts);
    if (parts.tm_sec == 0 && parts.tm_min == 0 && parts.tm_year == 70)
        puts("1970");
    struct timeval tv;
    taint(&tv, sizeof tv);
    gettimeofday(&tv, NULL);
    if (tv.tv_sec >> 40 != 0 || tv.tv_usec >= 1000000)
        puts("never");

    char text[64];
    taint(text, sizeof text);
    if (strftime(text, sizeof text, "%H:%M", &parts) == 5 && strcmp(text, "00:00") == 0)
        puts("midnight");
    taint(text, sizeof text);
    if (gethostname(text, sizeof text) == 0)
        weigh(text, strlen(text) + 1);
    char folder[4096];
    taint(folder, 16);
    if (getcwd(folder, sizeof folder) && folder[0] == '/')
        puts("folder");

    struct rusage usage;
    taint(&usage, sizeof usage);
    getrusage(RUSAGE_CHILDREN, &usage);
    if (weigh(&usage, sizeof usage) == sizeof usage)
        puts("nothing used");
    struct sigaction old;
    taint(&old, sizeof old);
    sigaction(SIGUSR1, NULL, &old);
    if (old.sa_handler == SIG_DFL && old.sa_flags == 0)
        puts("default");
    sigset_t mask;
    taint(&mask, sizeof mask);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, SIGUSR1))
        puts("not blocked");

    int ends[2];
    taint(ends, sizeof ends);
    if (pipe(ends) != 0 || ends[0] == ends[1])
        puts("never");
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    taint(&wanted.revents, sizeof wanted.revents);
    if (poll(&wanted, 1, 0) == 0 && wanted.revents == 0)
        puts("nothing to read");
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    struct timeval limit = {0, 0};
    if (select(ends[0] + 1, &readable, NULL, NULL, &limit) == 0 && !FD_ISSET(ends[0], &readable))
        puts("nothing selected");
    return 0;
}
