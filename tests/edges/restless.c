/* What its first byte says, to see whether a fork server and its driver get over it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave_somebody(unsigned seconds, int has_own_session)
{
    if (fork() == 0) {
        if (has_own_session)
            setsid();
        if (fork() == 0)
            sleep(seconds);
        _exit(0);
    }
    wait(NULL);
}

/* Every descriptor that may be the driver's. */
static void scribble(void)
{
    static unsigned char garbage[8192];
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = 0xff;
    for (int fd = 3; fd < 256; fd++) {
        if (ftruncate(fd, 0) == 0)
            exit(4);
        if (pwrite(fd, garbage, sizeof garbage, 8) < 0)
            continue;
    }
}

static int leave_files(void)
{
    int fd = open("left", O_CREAT | O_EXCL | O_WRONLY, 0600);
    return fd < 0 ? 5 : close(fd);
}

int main(void)
{
    char bytes[16] = "";
    volatile unsigned total = 0;
    ssize_t n = read(0, bytes, sizeof bytes);
    for (ssize_t i = 1; i < n; i++)
        total += bytes[i] == 'x';
    switch (bytes[0]) {
    case 'a': abort();
    case 'd': leave_somebody(100, 1); return 0;
    case 'e': return getenv("LD_BIND_NOW") || getenv("GIMLET_DRIVER") ? 6 : 0;
    case 'f': return leave_files();
    case 'g': return kill(0, SIGKILL);
    case 'h':
        for (;;)
            total++;
    case 'p':
        kill(getppid(), SIGKILL);
        usleep(100000);
        return 3;
    case 's': scribble(); return 0;
    case 'z': leave_somebody(0, 0); return 0;
    default: return n;
    }
}
