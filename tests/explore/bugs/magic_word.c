// A file format with a magic number of 32 bits and a version.
//~ STDIN: "PNG\x00\x01\x00\x00\x00"
//~ FINDS: abort load
//~ SOLUTION: "\xde\xc0\xad\x0b\x07\x00\x00\x00"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int load(const unsigned char *file, size_t len)
{
    uint32_t magic, version;
    if (len < 8)
        return 1;
    memcpy(&magic, file, sizeof magic);
    memcpy(&version, file + 4, sizeof version);
    if (magic != 0x0badc0de) {
        puts("not ours");
        return 1;
    }
    if (version == 7)
        abort(); //~ HERE
    printf("version %u\n", version);
    return 0;
}

int main(void)
{
    unsigned char file[64];
    ssize_t len = read(0, file, sizeof file);
    return len < 0 ? 2 : load(file, (size_t)len);
}
