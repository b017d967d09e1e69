// An archive: the header says where the directory is, the directory where the entries are.
//~ STDIN: "AR\x04\x01\x08\x04Name...."
//~ FINDS: assertion extract
//~ SOLUTION: "AR\x08\x01\x6b\x65\x79\x21\x04\x04\x00\x00"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct header {
    char magic[2];
    uint8_t directory, n_entries;
};

struct entry {
    uint8_t offset, length;
};

static void extract(const uint8_t *bytes, size_t len)
{
    assert(len != 4 || memcmp(bytes, "key!", 4) != 0); //~ HERE
    printf("%zu bytes\n", len);
}

int main(void)
{
    uint8_t file[64];
    struct header header;
    size_t len = fread(file, 1, sizeof file, stdin);
    if (len < sizeof header)
        return 1;
    memcpy(&header, file, sizeof header);
    size_t n_bytes = header.n_entries * sizeof(struct entry);
    if (memcmp(header.magic, "AR", 2) != 0 || header.directory > len || n_bytes > len - header.directory)
        return 1;
    for (int i = 0; i < header.n_entries; i++) {
        struct entry entry;
        memcpy(&entry, file + header.directory + i * sizeof entry, sizeof entry);
        if (entry.offset > len || entry.length > len - entry.offset)
            return 1;
        extract(file + entry.offset, entry.length);
    }
    return 0;
}
