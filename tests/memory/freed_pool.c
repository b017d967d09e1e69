// Words are stored in a pool that grows; the first word is remembered by its address in the pool as it was.
//~ STDIN: "ab cd\n\nef $\n\ngh $\n"
//~ FINDS: use-after-free expand
//~ SOLUTION: "ab cd\n\nefggg\ngh $\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    char *bytes;
    size_t len, capacity;
};

static size_t add(struct pool *pool, const char *word)
{
    size_t at = pool->len, size = strlen(word) + 1;
    if (size > pool->capacity - at) {
        pool->capacity += size + 8;
        pool->bytes = realloc(pool->bytes, pool->capacity);
        if (!pool->bytes)
            exit(1);
    }
    memcpy(pool->bytes + at, word, size);
    pool->len += size;
    return at;
}

static void expand(const struct pool *pool, size_t first_at, const char *first)
{
#ifdef FIXED
    first = pool->bytes + first_at;
#endif
    printf("%s (%zu of %zu)\n", first, first_at, pool->len); //~ HERE
}

int main(void)
{
    char text[32];
    struct pool pool = {malloc(12), 0, 12};
    const char *first = NULL;
    size_t first_at = 0;
    if (!pool.bytes)
        return 1;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        if (strcmp(word, "$") == 0) {
            if (first)
                expand(&pool, first_at, first);
            continue;
        }
        size_t at = add(&pool, word);
        if (!first) {
            first_at = at;
            first = pool.bytes + at;
        }
    }
    free(pool.bytes);
    return 0;
}
