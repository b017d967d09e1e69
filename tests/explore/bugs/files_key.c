// Two files: the first one says at which offset of the second a word is, and which.
//~ ARGS: @index@ @data@
//~ FILE index: "\x00\x01\x02\x03"
//~ FILE data: "some data here"
//~ FINDS: abort compare
//~ SOLUTION index: "\x05data"
//~ SOLUTION data: "some data here"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t load(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t len = fread(bytes, 1, size, file);
    fclose(file);
    return len;
}

static void compare(const char *word, const char *data)
{
    if (word[0] >= 'a' && word[0] <= 'z' && memcmp(word, data, 3) == 0)
        abort(); //~ HERE
    puts("differs");
}

int main(int argc, char **argv)
{
    char index[8], data[32];
    if (argc != 3)
        return 2;
    size_t index_len = load(argv[1], index, sizeof index), data_len = load(argv[2], data, sizeof data);
    if (index_len < 4)
        return 1;
    size_t offset = (unsigned char)index[0];
    if (offset == 0 || offset + 3 > data_len) {
        puts("no such offset");
        return 1;
    }
    compare(index + 1, data + offset);
    return 0;
}
