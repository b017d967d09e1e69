// A patch is applied to a file if it was made for it; the result must not be this.
//~ ARGS: -p @patch@ @@
//~ FILE: "version=1"
//~ FILE patch: "0000\x00x"
//~ FINDS: assertion apply
//~ SOLUTION patch: "\x19\xb3\xcc4\x082"
//~ SOLUTION: "version=1"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t load(const char *path, uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(bytes, 1, size, file) : 0;
    if (file)
        fclose(file);
    return len;
}

static uint32_t fingerprint(const uint8_t *bytes, size_t len)
{
    uint32_t hash = 5381;
    for (size_t i = 0; i < len; i++)
        hash = hash * 33 + bytes[i];
    return hash;
}

static void apply(uint8_t *file, size_t offset, uint8_t byte)
{
    file[offset] = byte;
    assert(memcmp(file, "version=2", 9) != 0); //~ HERE
    puts("patched");
}

int main(int argc, char **argv)
{
    uint8_t patch[6], file[16] = {0};
    uint32_t wanted;
    if (argc != 4 || load(argv[2], patch, sizeof patch) != sizeof patch)
        return 2;
    size_t len = load(argv[3], file, sizeof file);
    memcpy(&wanted, patch, sizeof wanted);
    if (fingerprint(file, len) != wanted || patch[4] >= len) {
        puts("made for another file");
        return 1;
    }
    apply(file, patch[4], patch[5]);
    return 0;
}
