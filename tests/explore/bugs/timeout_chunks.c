// Chunks with a length each: one of length zero is never left.
//~ STDIN: "\x02ab\x03cde"
//~ FINDS: timeout count_chunks
//~ SOLUTION: "\x02ab\x00"
#include <stdio.h>

static unsigned count_chunks(const unsigned char *file, size_t len)
{
    unsigned n_chunks = 0;
    size_t at = 0;
    while (at < len) { //~ HERE
        size_t n_bytes = file[at]; //~ HERE
        // The length counts itself, except in the first chunk.
        at += at == 0 ? n_bytes + 1 : n_bytes; //~ HERE
        n_chunks++; //~ HERE
    }
    return n_chunks;
}

int main(void)
{
    unsigned char file[16];
    size_t len = fread(file, 1, sizeof file, stdin);
    printf("%u chunks\n", count_chunks(file, len));
    return 0;
}
