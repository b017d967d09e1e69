/* What compilers call without being asked to, and a way to the C library itself.
 *
 * The objects of the support have their calls of memcpy and its relatives renamed
 * to these (renamed.txt): the program's functions of that name may do something
 * else. Those of the runtimes call stubs (runtime.rs of gimlet-cc), whose slots
 * are filled here.
 *
 * See own.h for the rest.
 */
#include "own.h"
#include <elf.h>
#include <link.h>

typedef long word16 __attribute__((vector_size(16), aligned(1), may_alias));

HIDDEN void *gimlet_own_memcpy(void *to, const void *from, size_t n)
{
    char *target = to;
    const char *source = from;
    if (n >= 512) {
        void *at = to;
        __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
        return to;
    }
    if (n >= 16) {
        word16 last = *(const word16 *)(source + n - 16);
        size_t i = 0;
        for (; i + 16 < n; i += 16)
            *(word16 *)(target + i) = *(const word16 *)(source + i);
        *(word16 *)(target + n - 16) = last;
        return to;
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = 0; i < n; i++)
        target[i] = source[i];
    return to;
}

HIDDEN void *gimlet_own_memmove(void *to, const void *from, size_t n)
{
    char *target = to;
    const char *source = from;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        for (; n >= 16; n -= 16, target += 16, source += 16)
            *(word16 *)target = *(const word16 *)source;
#pragma clang loop vectorize(disable) unroll(disable)
        for (size_t i = 0; i < n; i++)
            target[i] = source[i];
        return to;
    }
    for (; n >= 16; n -= 16)
        *(word16 *)(target + n - 16) = *(const word16 *)(source + n - 16);
#pragma clang loop vectorize(disable) unroll(disable)
    while (n-- > 0)
        target[n] = source[n];
    return to;
}

HIDDEN void *gimlet_own_memset(void *to, int byte, size_t n)
{
    char *target = to;
    if (n >= 512) {
        void *at = to;
        __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
        return to;
    }
    if (n >= 16) {
        long eight = (long)(0x0101010101010101ul * (unsigned char)byte);
        word16 value = {eight, eight};
        for (size_t i = 0; i + 16 < n; i += 16)
            *(word16 *)(target + i) = value;
        *(word16 *)(target + n - 16) = value;
        return to;
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = 0; i < n; i++)
        target[i] = (char)byte;
    return to;
}

HIDDEN int gimlet_own_memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *left = a, *right = b;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        word16 differ = *(const word16 *)(left + i) ^ *(const word16 *)(right + i);
        if (differ[0] | differ[1])
            break;
    }
    for (; i < n; i++)
        if (left[i] != right[i])
            return left[i] - right[i];
    return 0;
}

HIDDEN int gimlet_own_bcmp(const void *a, const void *b, size_t n)
{
    return gimlet_own_memcmp(a, b, n);
}

HIDDEN size_t gimlet_own_strlen(const char *text)
{
    return own_strlen(text);
}

/* The images of the process. The loader's list; there is none in a static program. */

extern WEAK struct r_debug _r_debug;
extern WEAK HIDDEN ElfW(Dyn) _DYNAMIC[];

static const struct link_map *images(void)
{
    return &_r_debug ? _r_debug.r_map : NULL;
}

HIDDEN const char *gimlet_own_image(void)
{
    for (const struct link_map *image = images(); image; image = image->l_next)
        if (image->l_ld == _DYNAMIC)
            return image->l_prev ? image->l_name : "";
    /* Those that dlmopen brings are in no list of ours. */
    return images() ? "(unlisted)" : "";
}

/* Tables of an image. */
struct tables {
    const ElfW(Sym) *symbols;
    const char *strings;
    const uint32_t *hashes;
    const uint16_t *versions;
};

static struct tables tables_of(const struct link_map *image)
{
    struct tables tables = {NULL, NULL, NULL, NULL};
    for (const ElfW(Dyn) *entry = image->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        /* The loader has relocated them, but not those of the kernel's image. */
        uint64_t base = entry->d_un.d_ptr < image->l_addr ? image->l_addr : 0;
        const void *at = (const void *)(base + entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            tables.symbols = at;
        if (entry->d_tag == DT_STRTAB)
            tables.strings = at;
        if (entry->d_tag == DT_GNU_HASH)
            tables.hashes = at;
        if (entry->d_tag == DT_VERSYM)
            tables.versions = at;
    }
    return tables;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/* The address of a function. An indirect one names a function that chooses, for this processor. */
static void *address_of(const struct link_map *image, const ElfW(Sym) *symbol)
{
    void *address = (void *)(image->l_addr + symbol->st_value);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        return ((void *(*)(void))address)();
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? address : NULL;
}

/* A function that an image exports, in its default version. */
static void *find_in(const struct link_map *image, const struct tables *tables, const char *name, uint32_t hash)
{
    if (!tables->symbols || !tables->strings || !tables->hashes)
        return NULL;
    uint32_t n_buckets = tables->hashes[0], first = tables->hashes[1], n_words = tables->hashes[2];
    const uint32_t *buckets = tables->hashes + 4 + 2 * n_words, *chain = buckets + n_buckets;
    uint32_t index = n_buckets ? buckets[hash % n_buckets] : 0;
    if (index < first)
        return NULL;
    for (;; index++) {
        const ElfW(Sym) *symbol = &tables->symbols[index];
        uint32_t other = chain[index - first];
        int is_default = !tables->versions || !(tables->versions[index] & 0x8000);
        if ((other | 1) == (hash | 1) && is_default && symbol->st_shndx != SHN_UNDEF &&
            own_is_same(tables->strings + symbol->st_name, name))
            return address_of(image, symbol);
        if (other & 1)
            return NULL;
    }
}

/* True if an image needs one of Gimlet's runtimes: those of its functions that have names of the library are the program's. */
static int is_instrumented(const struct tables *tables)
{
    static const char prefix[] = "gimlet_";
    if (!tables->symbols || !tables->strings || !tables->hashes)
        return 0;
    for (uint32_t index = 1; index < tables->hashes[1]; index++)
        if (own_is_equal(tables->strings + tables->symbols[index].st_name, prefix, sizeof prefix - 1))
            return 1;
    return 0;
}

static int is_library(const struct link_map *image)
{
    static const char name[] = "/libc.so.6";
    size_t n = own_strlen(image->l_name), len = sizeof name - 1;
    return n >= len && own_is_equal(image->l_name + n - len, name, len);
}

/* True for the kernel's image (vDSO): its functions have names of the library, and other arguments and results. */
static int is_of_kernel(const struct link_map *image)
{
    return own_is_same(image->l_name, "linux-vdso.so.1");
}

HIDDEN void *gimlet_own_find(const char *name)
{
    for (const struct link_map *image = images(); image; image = image->l_next) {
        if (is_library(image)) {
            struct tables tables = tables_of(image);
            return find_in(image, &tables, name, hash_of(name));
        }
    }
    return NULL;
}

HIDDEN void *gimlet_own_find_at(const void *header, const char *name)
{
    const ElfW(Ehdr) *elf = header;
    const ElfW(Phdr) *segments = (const void *)((uintptr_t)header + elf->e_phoff);
    struct link_map image = {0};
    for (size_t i = 0; i < elf->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
            image.l_addr = (uintptr_t)header - segments[i].p_vaddr;
    for (size_t i = 0; i < elf->e_phnum; i++)
        if (segments[i].p_type == PT_DYNAMIC)
            image.l_ld = (ElfW(Dyn) *)(image.l_addr + segments[i].p_vaddr);
    struct tables tables = tables_of(&image);
    return find_in(&image, &tables, name, hash_of(name));
}

static void missing(void)
{
    own_complain("libc.so.6", "lacks a function that the runtime calls");
    own_abort();
}

#define MAX_BEFORE 16

/* Fills the slots of stubs (runtime.rs of gimlet-cc). A function is the C library's, or that of an object that stands
 * before it, as one that was preloaded does: what the program would get that does not define it itself. */
HIDDEN void gimlet_own_bind(const char *names, void **slots)
{
    const struct link_map *places[MAX_BEFORE];
    struct tables tables[MAX_BEFORE];
    size_t n_places = 0;
    int is_found = 0;
    for (const struct link_map *image = images(); image && !is_found; image = image->l_next) {
        is_found = is_library(image);
        /* The first is the program. There is always room for the library. */
        if (!image->l_prev || is_of_kernel(image) || (!is_found && n_places == MAX_BEFORE - 1))
            continue;
        tables[n_places] = tables_of(image);
        places[n_places] = image;
        n_places += is_found || !is_instrumented(&tables[n_places]);
    }
    for (const char *name = names; *name; name += own_strlen(name) + 1, slots++) {
        uint32_t hash = hash_of(name);
        void *found = NULL;
        for (size_t i = 0; i < n_places && !found; i++)
            found = find_in(places[i], &tables[i], name, hash);
        *slots = found ? found : (void *)missing;
    }
}
