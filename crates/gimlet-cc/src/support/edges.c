/* The edge counters of PROG.edges, and how a driver gets at them.
 *
 * Clang adds one to a byte for each edge that is taken: a single instruction,
 * no call. The counters of an image (the program, or a shared object) are one
 * ELF section, __sancov_cntrs; counter number i is for the code at entry i of
 * the section __sancov_pcs (two words each: address, 1 for a function's entry).
 * Counters are modulo 256.
 *
 * With nobody attached nothing happens. A driver names a file, existing and
 * readable and writable, in GIMLET_EDGES_MAP; the counters are then in this
 * file instead of private memory, so that they outlive a crash and those of
 * forked children are in them:
 *
 *     offset 0  "GIMLETED"
 *            8  u32  version, 1
 *           12  u32  number of images
 *           16  0
 *          256  images, 256 bytes each:
 *                 u64 offset of the counters in the file, a multiple of 4096
 *                 u64 number of bytes, a multiple of 4096 (rounded up with zeroes)
 *                 u64 address of the first counter
 *                 the image's path, zero-terminated, cut at 231 bytes; "" for the program
 *        65536  counters
 *
 * An image that is already there (same path, same size) keeps its place, so
 * that a driver clears the counters between runs and leaves the rest.
 *
 * The padding makes the section begin and end with a page: the archive with
 * this file is the last input of the link. Every image has its own copy of the
 * functions, hidden from the others; they are weak, because a driver that is
 * linked in may bring its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
    uint32_t version, n_images;
    char zero[240];
    struct image images[HEADER_LEN / sizeof(struct image) - 1];
};

_Static_assert(sizeof(struct header) == HEADER_LEN, "layout");

__attribute__((section("__sancov_cntrs"), aligned(PAGE), used, retain)) static unsigned char padding[PAGE];

extern unsigned char first[] __asm__("__start___sancov_cntrs") HIDDEN;
extern unsigned char last[] __asm__("__stop___sancov_cntrs") HIDDEN;

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
        end = image->offset + image->len;
    }
    if (header->n_images >= sizeof header->images / sizeof header->images[0])
        return NULL;
    struct image *image = &header->images[header->n_images++];
    image->offset = end;
    image->len = len;
    strncpy(image->path, path, sizeof image->path - 1);
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

WEAK HIDDEN void __sanitizer_cov_8bit_counters_init(unsigned char *start, unsigned char *stop)
{
    static unsigned char *attached;
    const char *path = secure_getenv("GIMLET_EDGES_MAP");
    int is_whole = (uintptr_t)start % PAGE == 0 && (uintptr_t)stop % PAGE == 0;
    if (!path || !is_whole || attached == start)
        return;
    attached = start;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    /* Processes that begin at the same time take turns. The mapping keeps the lock after close. */
    if (flock(file, LOCK_EX) == 0) {
        attach(file, start, stop - start);
        flock(file, LOCK_UN);
    }
    close(file);
}

/* The table is read from the ELF file. */
WEAK HIDDEN void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop)
{
    (void)start;
    (void)stop;
}
