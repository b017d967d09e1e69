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
 * The program's functions are not called, and the library's only by names that no
 * program can define (own.h).
 *
 * The padding makes the section begin and end with a page: the archive with
 * this file is the last input of the link. Every image has its own copy of the
 * functions, hidden from the others; they are weak, because a driver that is
 * linked in may bring its own.
 */
#define _GNU_SOURCE
#include "own.h"
#include <elf.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

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

/* Paths are cut where there is no room. */
static int is_path(const struct image *image, const char *path)
{
    size_t n = own_strlen(path), max = sizeof image->path - 1;
    return n < max ? own_is_same(image->path, path) : own_is_equal(image->path, path, max);
}

static struct image *find(struct header *header, const char *path, uint64_t len)
{
    uint64_t end = HEADER_LEN;
    for (uint32_t i = 0; i < header->n_images; i++) {
        struct image *image = &header->images[i];
        if (image->len == len && is_path(image, path))
            return image;
        if (end < image->offset + image->len)
            end = image->offset + image->len;
    }
    if (header->n_images >= sizeof header->images / sizeof header->images[0])
        return NULL;
    struct image *image = &header->images[header->n_images];
    image->offset = end;
    image->len = len;
    own_append(image->path, sizeof image->path, 0, path);
    header->n_images++;
    return image;
}

/* Puts the file's pages in the place of the counters; what they have counted so far is added. */
static void move(int file, struct image *image, unsigned char *start)
{
    unsigned char *shared = own_map(NULL, image->len, MAP_SHARED, file, image->offset);
    if (!shared)
        return;
    for (uint64_t i = 0; i < image->len; i++)
        shared[i] += start[i];
    own_unmap(shared, image->len);
    own_map(start, image->len, MAP_SHARED | MAP_FIXED, file, image->offset);
}

/* Makes the file so long, unless it is longer. */
static int extend(int file, uint64_t len)
{
    struct stat status;
    if (own_fstat(file, &status) != 0)
        return 0;
    return (uint64_t)status.st_size >= len || OWN_CALL(SYS_ftruncate, file, len, 0, 0, 0, 0) == 0;
}

static void attach(int file, unsigned char *start, uint64_t len)
{
    struct header *header = extend(file, HEADER_LEN) ? own_map(NULL, HEADER_LEN, MAP_SHARED, file, 0) : NULL;
    if (!header)
        return;
    own_copy(header->magic, "GIMLETED", sizeof header->magic);
    header->version = 1;
    struct image *image = find(header, gimlet_own_image(), len);
    if (image) {
        image->address = (uintptr_t)start;
        if (extend(file, image->offset + image->len))
            move(file, image, start);
    }
    own_unmap(header, HEADER_LEN);
}

static int lock(int file, int operation)
{
    long got;
    while ((got = OWN_CALL(SYS_flock, file, operation, 0, 0, 0, 0)) == -EINTR)
        ;
    return got == 0;
}

/* Processes that begin at the same time take turns. */
static void attach_in_turn(int file)
{
    if (lock(file, LOCK_EX)) {
        attach(file, first, last - first);
        lock(file, LOCK_UN);
    }
}

/* True if the process has rights that its caller has not: then it takes no orders from the environment. */
static int is_privileged(void)
{
    uint64_t pairs[128];
    int file = own_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
    long len = file >= 0 ? own_read(file, pairs, sizeof pairs) : 0;
    if (file >= 0)
        own_close(file);
    for (long i = 0; i + 1 < len / (long)sizeof pairs[0]; i += 2)
        if (pairs[i] == AT_SECURE)
            return pairs[i + 1] != 0;
    return OWN_CALL(SYS_getuid, 0, 0, 0, 0, 0, 0) != OWN_CALL(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* What the driver says, if it may. */
static const char *order(const char *name)
{
    const char *value = own_getenv(name);
    return value && !is_privileged() ? value : NULL;
}

static int open_map(void)
{
    const char *path = order("GIMLET_EDGES_MAP");
    return path ? own_open(path, O_RDWR | O_CLOEXEC, 0) : -1;
}

/* Memory that the driver sees, under a name of its own among the images; null if there is none. It is for the run that
 * asks. */
WEAK HIDDEN void *gimlet_edges_region(const char *name, uint64_t len)
{
    int file = open_map();
    void *region = NULL;
    if (file >= 0 && lock(file, LOCK_EX)) {
        struct header *header = own_map(NULL, HEADER_LEN, MAP_SHARED, file, 0);
        struct image *image = header ? find(header, name, len) : NULL;
        if (image && extend(file, image->offset + image->len))
            region = own_map(NULL, len, MAP_SHARED, file, image->offset);
        if (header)
            own_unmap(header, HEADER_LEN);
        lock(file, LOCK_UN);
    }
    if (file >= 0)
        own_close(file);
    return region;
}

/* Changes of the environment are such that a setenv of the program's comes out right. */

static void forget(const char *name)
{
    for (char **at = own_variable(name); at && *at; at++)
        *at = at[1];
}

/* NAME=VALUE, in memory that stays. */
static void remember(const char *name, char *whole)
{
    char **at = own_variable(name);
    size_t n = 0;
    if (at) {
        *at = whole;
        return;
    }
    while (__environ && __environ[n])
        n++;
    size_t len = (n + 2) * sizeof(char *);
    char **all = own_map(NULL, len, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!all)
        return;
    for (size_t i = 0; i < n; i++)
        all[i] = __environ[i];
    all[n] = whole;
    all[n + 1] = NULL;
    __environ = all;
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
    return OWN_CALL(SYS_sendto, control, &message, sizeof message, MSG_NOSIGNAL, NULL, 0) == sizeof message;
}

/* The first page of the file, which children don't get. */
static struct header *map_run(int map)
{
    struct header *header = own_map(NULL, PAGE, MAP_SHARED, map, 0);
    return header && OWN_CALL(SYS_madvise, header, PAGE, MADV_DONTFORK, 0, 0, 0) == 0 ? header : NULL;
}

/* Of the memory build's runtime, if that is here. */
extern WEAK void gimlet_mem_serves(void);
extern WEAK void gimlet_mem_runs(void);

/* The library's: handlers for forks run. */
extern pid_t __fork(void);

static long wait_for(pid_t child, int *status, int flags)
{
    return OWN_CALL(SYS_wait4, child, status, flags, NULL, 0, 0);
}

/* Waits for a run. Descendants that lost their parent are ours: with no child left, nothing of the run is. */
static int finish(int control, pid_t child, int is_numbered)
{
    int status = 0;
    while (wait_for(child, &status, 0) == -EINTR)
        ;
    long other;
    while ((other = wait_for(-1, NULL, WNOHANG)) > 0)
        ;
    return say(control, is_numbered && other == -ECHILD ? ALONE : STATUS, status);
}

/* Serves runs. Returns in each forked child, which goes on to be the program. */
static void serve(int map, int control, uint32_t version)
{
    struct header *header = map_run(map);
    if (gimlet_mem_serves)
        gimlet_mem_serves();
    if (!header)
        say(control, FAILED, ENOMEM);
    if (!header || !say(control, HELLO, version))
        own_exit(125);
    for (;;) {
        struct message message;
        if (OWN_CALL(SYS_recvfrom, control, &message, sizeof message, MSG_WAITALL, NULL, NULL) != sizeof message)
            own_exit(0);
        if (message.tag != RUN)
            continue;
        OWN_CALL(SYS_lseek, 0, 0, SEEK_SET, 0, 0, 0);
        header->run = message.value;
        pid_t child = __fork();
        if (child == 0) {
            OWN_CALL(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
            own_close(control);
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
            own_exit(0);
    }
}

/* MAP:CONTROL */
static int has_server(int *map, int *control)
{
    const char *driver = order("GIMLET_DRIVER");
    if (!driver || (*map = own_number(&driver)) < 0 || *driver++ != ':')
        return 0;
    return (*control = own_number(&driver)) >= 0;
}

/* Called by the constructors of the image's objects. */
WEAK HIDDEN void gimlet_edges_init(uint32_t version)
{
    static int is_called;
    static char name[64];
    int is_whole = (uintptr_t)first % PAGE == 0 && (uintptr_t)last % PAGE == 0;
    if (!is_whole || is_called)
        return;
    is_called = 1;
    int map, control;
    if (has_server(&map, &control)) {
        attach_in_turn(map);
        /* A name, for images that are loaded later. */
        size_t n = own_append(name, sizeof name, 0, "GIMLET_EDGES_MAP=/proc/self/fd/");
        own_append_number(name, sizeof name, n, map);
        remember("GIMLET_EDGES_MAP", name);
        /* Shared objects come first: the program is the last to start. */
        if (*gimlet_own_image() == 0) {
            forget("GIMLET_DRIVER");
            const char *bind = own_getenv("LD_BIND_NOW");
            if (bind && own_is_same(bind, "gimlet"))
                forget("LD_BIND_NOW");
            serve(map, control, version);
        }
        return;
    }
    int file = open_map();
    if (file >= 0) {
        attach_in_turn(file);
        /* The mapping stays. */
        own_close(file);
    }
}
