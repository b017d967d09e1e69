/* The edge counters of PROG.edges, and how a driver gets at them.
 *
 * The pass adds a counter, a byte, for each function, direction of a branch and
 * case of a switch. Those of an image (the program, or a shared object) are one
 * ELF section, gimlet_counters; the section gimlet_edges says what they count
 * (edges.rs of gimlet-trace).
 *
 * With nobody attached nothing happens. A driver names a file, existing and
 * readable and writable, in GIMLET_EDGES_MAP; the counters are then in this
 * file instead of private memory, so that they outlive a crash and those of
 * forked children are in them:
 *
 *     offset 0  "GIMLETED"
 *            8  u32  version, 1
 *           12  u32  number of images
 *           16  u32  number of the run that a fork server has begun last
 *           20  0
 *          256  images, 256 bytes each:
 *                 u64 offset of the counters in the file, a multiple of 4096
 *                 u64 number of bytes, a multiple of 4096 (rounded up with zeroes)
 *                 u64 address of the first counter
 *                 the image's path, zero-terminated, cut at 231 bytes; "" for the program
 *        65536  counters
 *
 * An image whose path begins with "gimlet:" has no counters: it is memory that a runtime shares with the driver.
 *
 * An image that is already there (same path, same size) keeps its place, so
 * that a driver clears the counters between runs and leaves the rest.
 *
 * Many runs: with GIMLET_DRIVER=MAP:CONTROL, two descriptors, the program becomes
 * a fork server as an instrumented one does (shm.rs of gimlet-trace), before its
 * own first constructor. MAP is the file, CONTROL a socket for the messages. A
 * request with a number is answered by one message, when the run has ended: what
 * wakes the driver earlier costs as much as a short run does. That it has begun is
 * in the file.
 *
 * What a server has not resolved, each of its runs would have to: the driver has
 * the loader do that at once, by LD_BIND_NOW=gimlet, which the program does not see.
 *
 * Functions that sources.c may stand before are called as system calls: the
 * server is not to read the sources of its first run.
 *
 * The padding makes the section begin and end with a page: the archive with
 * this file is the last input of the link. Every image has its own copy of the
 * functions, hidden from the others; they are weak, because a driver that is
 * linked in may bring its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#define HIDDEN __attribute__((visibility("hidden")))
#define PAGE 4096
#define HEADER_LEN 65536

struct image {
    uint64_t offset, len, address;
    char path[232];
};

struct header {
    char magic[8];
    uint32_t version, n_images, run;
    char zero[236];
    struct image images[HEADER_LEN / sizeof(struct image) - 1];
};

_Static_assert(sizeof(struct header) == HEADER_LEN, "layout");

__attribute__((section("gimlet_counters"), aligned(PAGE), used, retain)) static unsigned char padding[PAGE];

extern unsigned char first[] __asm__("__start_gimlet_counters") HIDDEN;
extern unsigned char last[] __asm__("__stop_gimlet_counters") HIDDEN;

/* For a driver in the same process. */
WEAK unsigned char *const gimlet_edges_start = first;
WEAK unsigned char *const gimlet_edges_stop = last;

/* Path of the image that the counters are in. */
static const char *path_of(const unsigned char *start)
{
    Dl_info image, program;
    void *entry = (void *)(uintptr_t)getauxval(AT_ENTRY);
    int is_found = dladdr(start, &image), has_program = dladdr(entry, &program);
    if (!is_found || (has_program && image.dli_fbase == program.dli_fbase))
        return "";
    return image.dli_fname;
}

static struct image *find(struct header *header, const char *path, uint64_t len)
{
    uint64_t end = HEADER_LEN;
    for (uint32_t i = 0; i < header->n_images; i++) {
        struct image *image = &header->images[i];
        if (image->len == len && strncmp(image->path, path, sizeof image->path - 1) == 0)
            return image;
        if (end < image->offset + image->len)
            end = image->offset + image->len;
    }
    if (header->n_images >= sizeof header->images / sizeof header->images[0])
        return NULL;
    struct image *image = &header->images[header->n_images];
    image->offset = end;
    image->len = len;
    strncpy(image->path, path, sizeof image->path - 1);
    header->n_images++;
    return image;
}

/* Puts the file's pages in the place of the counters; what they have counted so far is added. */
static void move(int file, struct image *image, unsigned char *start)
{
    int protection = PROT_READ | PROT_WRITE;
    unsigned char *shared = mmap(NULL, image->len, protection, MAP_SHARED, file, image->offset);
    if (shared == MAP_FAILED)
        return;
    for (uint64_t i = 0; i < image->len; i++)
        shared[i] += start[i];
    munmap(shared, image->len);
    mmap(start, image->len, protection, MAP_SHARED | MAP_FIXED, file, image->offset);
}

static void attach(int file, unsigned char *start, uint64_t len)
{
    struct stat status;
    if (fstat(file, &status) != 0 || (status.st_size < HEADER_LEN && ftruncate(file, HEADER_LEN) != 0))
        return;
    struct header *header = mmap(NULL, HEADER_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (header == MAP_FAILED)
        return;
    memcpy(header->magic, "GIMLETED", sizeof header->magic);
    header->version = 1;
    struct image *image = find(header, path_of(start), len);
    if (image) {
        off_t end = image->offset + image->len;
        image->address = (uintptr_t)start;
        if (status.st_size >= end || ftruncate(file, end) == 0)
            move(file, image, start);
    }
    munmap(header, HEADER_LEN);
}

/* Processes that begin at the same time take turns. */
static void attach_in_turn(int file)
{
    if (flock(file, LOCK_EX) == 0) {
        attach(file, first, last - first);
        flock(file, LOCK_UN);
    }
}

/* Memory that the driver sees, under a name of its own among the images; null if there is none. It is for the run that
 * asks. */
WEAK HIDDEN void *gimlet_edges_region(const char *name, uint64_t len)
{
    const char *path = secure_getenv("GIMLET_EDGES_MAP");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    void *region = MAP_FAILED;
    if (file >= 0 && flock(file, LOCK_EX) == 0) {
        struct stat status;
        struct header *header = mmap(NULL, HEADER_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        struct image *image = header == MAP_FAILED ? NULL : find(header, name, len);
        off_t end = image ? image->offset + image->len : 0;
        if (image && fstat(file, &status) == 0 && (status.st_size >= end || ftruncate(file, end) == 0))
            region = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file, image->offset);
        if (header != MAP_FAILED)
            munmap(header, HEADER_LEN);
        flock(file, LOCK_UN);
    }
    if (file >= 0)
        close(file);
    return region == MAP_FAILED ? NULL : region;
}

struct message {
    uint32_t tag, value;
};

enum {
    HELLO = 0x4f4c4548,
    RUN = 0x004e5552,
    PID = 0x00444950,
    STATUS = 0x54415453,
    ALONE = 0x4e4f4c41,
    FAILED = 0x4c494146
};

static int say(int control, uint32_t tag, uint32_t value)
{
    struct message message = {tag, value};
    return syscall(SYS_sendto, control, &message, sizeof message, MSG_NOSIGNAL, NULL, 0) == sizeof message;
}

/* The first page of the file, which children don't get. */
static struct header *map_run(int map)
{
    struct header *header = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    if (header == MAP_FAILED || madvise(header, PAGE, MADV_DONTFORK) != 0)
        return NULL;
    return header;
}

/* Of the memory build's runtime, if that is here. */
extern WEAK void gimlet_mem_serves(void);
extern WEAK void gimlet_mem_runs(void);

/* Waits for a run. Descendants that lost their parent are ours: with no child left, nothing of the run is. */
static int finish(int control, pid_t child, int is_numbered)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    pid_t other;
    while ((other = waitpid(-1, NULL, WNOHANG)) > 0)
        ;
    return say(control, is_numbered && other < 0 && errno == ECHILD ? ALONE : STATUS, status);
}

/* Serves runs. Returns in each forked child, which goes on to be the program. */
static void serve(int map, int control, uint32_t version)
{
    struct header *header = map_run(map);
    if (gimlet_mem_serves)
        gimlet_mem_serves();
    if (!header)
        say(control, FAILED, errno);
    if (!header || !say(control, HELLO, version))
        _exit(125);
    for (;;) {
        struct message message;
        if (syscall(SYS_recvfrom, control, &message, sizeof message, MSG_WAITALL, NULL, NULL) != sizeof message)
            _exit(0);
        if (message.tag != RUN)
            continue;
        lseek(0, 0, SEEK_SET);
        header->run = message.value;
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(control);
            if (gimlet_mem_runs)
                gimlet_mem_runs();
            return;
        }
        if (child < 0) {
            say(control, FAILED, errno);
            continue;
        }
        int is_numbered = message.value != 0;
        if (!is_numbered)
            say(control, PID, child);
        if (!finish(control, child, is_numbered))
            _exit(0);
    }
}

/* Called by the constructors of the image's objects. */
WEAK HIDDEN void gimlet_edges_init(uint32_t version)
{
    static int is_called;
    int is_whole = (uintptr_t)first % PAGE == 0 && (uintptr_t)last % PAGE == 0;
    if (!is_whole || is_called)
        return;
    is_called = 1;
    int map = -1, control;
    const char *driver = secure_getenv("GIMLET_DRIVER");
    int is_served = driver && sscanf(driver, "%d:%d", &map, &control) == 2;
    if (is_served) {
        attach_in_turn(map);
        /* A name, for images that are loaded later. */
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", map);
        setenv("GIMLET_EDGES_MAP", path, 1);
        /* Shared objects come first: the program is the last to start. */
        if (*path_of(first) == 0) {
            unsetenv("GIMLET_DRIVER");
            const char *bind = getenv("LD_BIND_NOW");
            if (bind && strcmp(bind, "gimlet") == 0)
                unsetenv("LD_BIND_NOW");
            serve(map, control, version);
        }
        return;
    }
    const char *path = secure_getenv("GIMLET_EDGES_MAP");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        attach_in_turn(file);
        /* The mapping stays. */
        close(file);
    }
}
