/* What a twin needs in place of the runtime.
 *
 * Every definition is weak and this is a member of an archive, so a program
 * that has its own `reach_error` or `main` keeps it, and one that uses none of
 * these functions gets none of this file.
 *
 * Replay: GIMLET_PLAIN_INPUT names a file with the named sources of an input.
 *
 *     "GIMLETPI"                                      8 bytes
 *     then for each source:
 *     u32 length of the name, u32 length of the data  little-endian
 *     the name, the data
 *
 * For example, source "x" with the bytes 34 12:
 *
 *     47494d4c45545049 01000000 02000000 78 3412
 *
 * A source is a stream: each call takes the next bytes. Where it has no more,
 * memory stays as it is, and a __VERIFIER_nondet_* function returns 0 for the
 * missing bytes (they all read the source "nondet"). A memory build whose fresh
 * memory is filled puts zeroes there: memory that was made symbolic is written.
 *
 * Observations: GIMLET_OBSERVATIONS names a file to which each call of
 * gimlet_observe appends a line: the number of bytes, the bytes in hexadecimal,
 * the name. For example, observing the bytes 34 12 as "x":
 *
 *     2 3412 x
 */
#define _GNU_SOURCE
#include "own.h"
#include <errno.h>

#define MAX_SOURCES 1024

struct source {
    const char *name;
    size_t name_len;
    const unsigned char *data;
    size_t len, cursor;
};

static struct source sources[MAX_SOURCES];
static size_t n_sources;
static int is_loaded;

/* All that a file or a stream has, in memory of our own; null if there is no room. */
static unsigned char *read_all(int fd, size_t *len)
{
    size_t capacity = 1 << 16;
    unsigned char *bytes = own_map(NULL, capacity, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *len = 0;
    while (bytes) {
        long got = own_read(fd, bytes + *len, capacity - *len);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        *len += got;
        if (*len == capacity) {
            long moved = OWN_CALL(SYS_mremap, bytes, capacity, 2 * capacity, MREMAP_MAYMOVE, 0, 0);
            bytes = moved < 0 && moved > -4096 ? NULL : (unsigned char *)moved;
            capacity *= 2;
        }
    }
    return bytes;
}

static void die(const char *what, const char *path)
{
    own_complain(path, what);
    own_exit(2);
}

static void load(void)
{
    is_loaded = 1;
    const char *path = own_getenv("GIMLET_PLAIN_INPUT");
    if (!path)
        return;
    int file = own_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        die("can't be opened", path);
    size_t len;
    unsigned char *bytes = read_all(file, &len);
    own_close(file);
    if (!bytes || len < 8 || !own_is_equal(bytes, "GIMLETPI", 8))
        die("not a file of named sources", path);
    for (size_t at = 8; at < len;) {
        uint32_t lens[2];
        if (len - at < sizeof lens || n_sources == MAX_SOURCES)
            die("truncated or too many sources", path);
        own_copy(lens, bytes + at, sizeof lens);
        at += sizeof lens;
        if ((uint64_t)lens[0] + lens[1] > len - at)
            die("truncated", path);
        struct source source = {(const char *)bytes + at, lens[0], bytes + at + lens[0], lens[1], 0};
        sources[n_sources++] = source;
        at += (size_t)lens[0] + lens[1];
    }
}

/* Of the memory build's runtime, if that is here: whether fresh memory is filled. */
extern WEAK int gimlet_mem_fills(void);

static int is_named(const struct source *source, const char *name)
{
    return source->name_len == own_strlen(name) && own_is_equal(source->name, name, source->name_len);
}

static void take(void *to, size_t n, const char *name)
{
    if (!name)
        name = "unnamed";
    if (!is_loaded)
        load();
    if (gimlet_mem_fills && gimlet_mem_fills())
        own_zero(to, n);
    for (size_t i = 0; i < n_sources; i++) {
        struct source *source = &sources[i];
        if (!is_named(source, name))
            continue;
        size_t rest = source->len - source->cursor;
        size_t some = n < rest ? n : rest;
        own_copy(to, source->data + source->cursor, some);
        source->cursor += some;
        return;
    }
}

WEAK void gimlet_symbolic(void *p, size_t n, const char *name)
{
    take(p, n, name);
}

/* Each call has a source of its own: NAME, then NAME#2 and so on. Without one memory stays as it is. */
WEAK void gimlet_symbolic_string(char *p, size_t prefix, size_t max, const char *name)
{
    (void)prefix;
    if (!name)
        name = "unnamed";
    if (!is_loaded)
        load();
    char full[300];
    for (unsigned number = 1; max > 0; number++) {
        size_t n = own_append(full, 241, 0, name);
        if (number > 1)
            own_append_number(full, sizeof full, own_append(full, sizeof full, n, "#"), number);
        size_t i = 0;
        while (i < n_sources && !is_named(&sources[i], full))
            i++;
        if (i == n_sources) {
            if (gimlet_mem_fills && gimlet_mem_fills())
                own_zero(p, max);
            return;
        }
        if (sources[i].cursor > 0)
            continue;
        size_t len = sources[i].len < max - 1 ? sources[i].len : max - 1;
        own_copy(p, sources[i].data, len);
        p[len] = 0;
        sources[i].cursor = max;
        return;
    }
}

WEAK void gimlet_assume(int c)
{
    if (!c)
        own_exit(0);
}

WEAK void gimlet_assert(int c)
{
    if (!c)
        own_abort();
}

/* A line that is written in pieces. */
struct line {
    int file;
    size_t len;
    char text[1024];
};

static void put(struct line *line, char c)
{
    if (line->len == sizeof line->text) {
        own_write(line->file, line->text, line->len);
        line->len = 0;
    }
    line->text[line->len++] = c;
}

static void put_text(struct line *line, const char *text)
{
    while (*text)
        put(line, *text++);
}

/* errno stays as it was: programs observe between a call and their look at it. */
WEAK void gimlet_observe(const void *p, size_t n, const char *name)
{
    const char *path = own_getenv("GIMLET_OBSERVATIONS");
    if (!path)
        return;
    struct line line = {.file = own_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)};
    if (line.file < 0) {
        own_complain("GIMLET_OBSERVATIONS", "the file that it names can't be opened");
        return;
    }
    char number[32];
    own_append_number(number, sizeof number, 0, n);
    put_text(&line, number);
    put(&line, ' ');
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = ((const unsigned char *)p)[i];
        put(&line, "0123456789abcdef"[byte >> 4]);
        put(&line, "0123456789abcdef"[byte & 15]);
    }
    put(&line, ' ');
    put_text(&line, name ? name : "unnamed");
    put(&line, '\n');
    own_write(line.file, line.text, line.len);
    own_close(line.file);
}

WEAK void klee_make_symbolic(void *p, size_t n, const char *name)
{
    take(p, n, name);
}

WEAK void klee_assume(uintptr_t c)
{
    if (!c)
        own_exit(0);
}

WEAK void __VERIFIER_assume(int c)
{
    if (!c)
        own_exit(0);
}

WEAK void __VERIFIER_assert(int c)
{
    if (!c)
        own_abort();
}

WEAK void reach_error(void)
{
    own_abort();
}

WEAK void __VERIFIER_error(void)
{
    own_abort();
}

#define NONDET(name, type)                     \
    WEAK type __VERIFIER_nondet_##name(void)   \
    {                                          \
        type value = (type)0;                  \
        take(&value, sizeof value, "nondet");  \
        return value;                          \
    }

NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(unsigned_char, unsigned char)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned int)
NONDET(unsigned, unsigned int)
NONDET(unsigned_int, unsigned int)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(size_t, size_t)
NONDET(loff_t, long long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(pointer, void *)
NONDET(pchar, char *)
NONDET(charp, char *)
NONDET(float, float)
NONDET(double, double)

/* A bool is the lowest bit of a byte. */
static _Bool take_bool(void)
{
    unsigned char byte = 0;
    take(&byte, 1, "nondet");
    return byte & 1;
}

WEAK _Bool __VERIFIER_nondet_bool(void)
{
    return take_bool();
}

WEAK _Bool __VERIFIER_nondet__Bool(void)
{
    return take_bool();
}

WEAK void __VERIFIER_nondet_memory(void *p, size_t n)
{
    take(p, n, "nondet");
}

/* In-process harnesses: the input is the file that the first argument names, or standard input. */
extern int LLVMFuzzerInitialize(int *argc, char ***argv) WEAK;
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) WEAK;

/* The program's: harnesses of libFuzzer's are given a block of its heap. */
extern void *malloc(size_t n);
extern void free(void *block);

WEAK int main(int argc, char **argv)
{
    if (!LLVMFuzzerTestOneInput)
        die("has neither main nor LLVMFuzzerTestOneInput", argv[0]);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    int file = argc > 1 ? own_open(argv[1], O_RDONLY | O_CLOEXEC, 0) : 0;
    if (file < 0)
        die("can't be opened", argv[1]);
    size_t len;
    unsigned char *bytes = read_all(file, &len);
    if (argc > 1)
        own_close(file);
    /* An exact copy, so that reading past the end is seen. */
    unsigned char *exact = bytes ? malloc(len ? len : 1) : NULL;
    if (!exact)
        die("out of memory", argv[0]);
    own_copy(exact, bytes, len);
    int status = LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return status;
}
