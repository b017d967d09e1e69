// Given are two bytes; a block of 28 bytes that ends with a mark is taken for the last one.
//~ STDIN: "ab"
//~ MAX-LEN: 64
//~ FINDS: assertion block
//~ SOLUTION: "........................END."
//~ QUICK
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int n_blocks;

static void block(const char *bytes, size_t len)
{
    n_blocks++;
    assert(len != 28 || memcmp(bytes + 24, "END.", 4) != 0); //~ HERE
}

int main(void)
{
    char bytes[28];
    ssize_t len;
    while ((len = read(0, bytes, sizeof bytes)) > 0)
        block(bytes, (size_t)len);
    printf("%d blocks\n", n_blocks);
    return 0;
}
