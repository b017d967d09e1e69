// A header says how long the item behind it is, scrambled; the limit is that of another version.
//~ STDIN: "\0\0\0\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
//~ FINDS: stack-out-of-bounds read_item
//~ SOLUTION: "q\x19\xf1\xdfaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
//~ QUICK
#include <stdint.h>
#include <stdio.h>

#ifdef FIXED
enum { MAX_ITEM = 32 };
#else
enum { MAX_ITEM = 40 };
#endif

__attribute__((noinline)) static int read_item(uint32_t scrambled)
{
    char item[32];
    uint32_t n = scrambled * 2654435761u;
    if (n > MAX_ITEM)
        return -1;
    size_t n_read = fread(item, 1, n, stdin); //~ HERE
    return n_read > 2 ? item[2] : 0;
}

int main(void)
{
    uint8_t head[4];
    if (fread(head, 1, sizeof head, stdin) != sizeof head)
        return 1;
    return read_item(head[0] | head[1] << 8 | head[2] << 16 | (uint32_t)head[3] << 24) < 0;
}
