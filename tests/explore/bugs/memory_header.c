// The size of a buffer comes from the file, in units that the file also names.
//~ STDIN: "SIZE\x10k"
//~ OPTIONS: --max-memory 512
//~ FINDS: out-of-memory prepare
//~ SOLUTION: "SIZE\x08g"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prepare(unsigned char count, unsigned char unit)
{
    size_t size = count;
    if (unit == 'k')
        size <<= 10;
    else if (unit == 'g')
        size <<= 30;
    char *buffer = malloc(size + 1);
    if (!buffer)
        return 1;
    memset(buffer, 'x', size); //~ HERE
    buffer[size] = '\0';
    printf("%zu\n", strlen(buffer));
    free(buffer);
    return 0;
}

int main(void)
{
    unsigned char header[6];
    if (fread(header, 1, sizeof header, stdin) != sizeof header || memcmp(header, "SIZE", 4) != 0)
        return 1;
    return prepare(header[4], header[5]);
}
