// A program with its own functions that copy, fill and compare memory: the
// runtime calls them too, and must not be called by them.
//~ STDIN: "ownmem!"
//~ FLAGS: -fno-builtin
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static void forward(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

void *memmove(void *to, const void *from, size_t n)
{
    if (to <= from)
        forward(to, from, n);
    else
        while (n--)
            ((char *)to)[n] = ((const char *)from)[n];
    return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
    return memmove(to, from, n);
}

__attribute__((weak)) void *memset(void *to, int byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    for (const unsigned char *x = a, *y = b; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

int main(void)
{
    static unsigned char table[256];
    char bytes[8] = "", copy[8];
    if (read(0, bytes, sizeof bytes - 1) < 0)
        return 1;
    void *(*volatile copies)(void *, const void *, size_t) = memcpy;
    copies(copy, bytes, sizeof copy);
    memset(table, copy[6], sizeof table);
    table['o'] = 7;
    if (table[(unsigned char)copy[0]] == 7)
        puts("o");
    table['w'] = (unsigned char)copy[2];
    if (table[(unsigned char)copy[1]] == 'n')
        puts("wn");
    memmove(copy + 1, copy + 3, 3);
    if (memcmp(copy + 1, "mem", 3) != 0)
        puts("not mem");
    if (copy[2] == 'e')
        puts("e");
    return 0;
}
