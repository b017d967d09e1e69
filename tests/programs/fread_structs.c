// fread of whole structs and arrays of them, with a count taken from a header
// and a short read at the end.
//~ STDIN: "REC1\x03\x00\x00\x00\x05\x00\x0a\x00\x01\x00\x00\x00\x07\x00\xfb\xff\x02\x00\x00\x00\x09\x00\x14\x00\x03\x00\x00\x00xy"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct header { char magic[4]; uint8_t count; uint8_t version; uint16_t flags; };
struct record { uint16_t key; int16_t amount; uint32_t kind; };

int main(void)
{
    struct header header;
    struct record records[8];
    if (fread(&header, sizeof header, 1, stdin) != 1) {
        puts("no header");
        return 2;
    }
    if (memcmp(header.magic, "REC1", 4) != 0) {
        puts("bad magic");
        return 3;
    }
    if (header.version != 0 || header.count > 8) {
        puts("unsupported");
        return 4;
    }
    size_t count = fread(records, sizeof records[0], header.count, stdin);
    if (count < header.count)
        puts("truncated");

    int balance = 0;
    unsigned previous = 0, kinds = 0;
    for (size_t i = 0; i < count; i++) {
        if (records[i].key <= previous)
            puts("keys out of order");
        previous = records[i].key;
        if (records[i].amount < 0 && header.flags & 1)
            puts("negative amount");
        balance += records[i].amount;
        if (records[i].kind < 8)
            kinds |= 1u << records[i].kind;
    }
    if (balance == 25)
        puts("balanced");
    if (kinds == 14)
        puts("all kinds");

    char rest[4];
    size_t left = fread(rest, 1, sizeof rest, stdin);
    if (left == 2 && rest[0] < rest[1])
        puts("rest");
    printf("%u %d %u\n", (unsigned)count, balance, (unsigned)left);
    return 0;
}
