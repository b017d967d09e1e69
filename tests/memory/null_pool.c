// Words with a dollar are kept in a small arena, which gives nothing when it is full; nobody asks.
//~ STDIN: "$ab cd $ef gh $ij kl"
//~ FINDS: null-dereference keep
//~ SOLUTION: "$ab.cd $ef.gh $ij kl"
#include <stdio.h>
#include <string.h>

static char arena[12];
static size_t used;

__attribute__((noinline)) static char *take(size_t size)
{
    if (size > sizeof arena - used)
        return NULL;
    used += size;
    return arena + used - size;
}

static const char *keep(const char *word)
{
    size_t len = strlen(word);
    char *copy = take(len + 1);
#ifdef FIXED
    if (!copy)
        return NULL;
#endif
    for (size_t i = 0; i < len; i++)
        copy[i] = word[i]; //~ HERE
    copy[len] = '\0'; //~ HERE
    return copy;
}

int main(void)
{
    char text[32];
    const char *last = "";
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        if (*word != '$')
            continue;
        const char *kept = keep(word + 1);
        if (!kept) {
            puts("too many variables");
            return 1;
        }
        last = kept;
    }
    printf("%zu bytes, the last is %s\n", used, last);
    return 0;
}
