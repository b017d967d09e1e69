// Packed bit-fields that cross byte boundaries, overlaid on the input bytes
// as a protocol header would be.
//~ STDIN: "\x45\x10\x00\x54\xa6\xf2\x40\x00\x40\x01\x9c\x21\x7f"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct __attribute__((packed)) header {
    unsigned version : 4;
    unsigned length : 4;
    unsigned type : 7;
    unsigned urgent : 1;
    signed offset : 13;   // crosses from byte 2 into byte 3
    uint32_t id : 24;     // bytes 3 to 6, unaligned
    int64_t stamp : 40;   // crosses six bytes
    unsigned tail : 3;
    unsigned char check;  // unaligned plain member after the fields
};

_Static_assert(sizeof(struct header) == 13, "layout");

static void update(struct header *h)
{
    h->offset = h->offset > 0 ? -h->offset : 5;
    h->id += 0x10001;
    h->stamp >>= 3;
}

int main(void)
{
    unsigned char in[sizeof(struct header)] = {0};
    struct header h;
    if (read(0, in, sizeof in) < 0)
        return 1;
    memcpy(&h, in, sizeof h);

    if (h.version == 5 && h.length == 4)
        puts("version");
    if (h.type == 16 && !h.urgent)
        puts("type");
    if (h.offset < 0)
        puts("backwards");
    if (h.id == 0x123456)
        puts("id");
    if (h.stamp < 0)
        puts("negative stamp");
    if (h.tail == 1)
        puts("tail");
    update(&h);
    if (h.id % 32 == 3)
        puts("updated id");
    if (h.offset == 5)
        puts("reset");
    if (h.stamp % 1000 == 7)
        puts("stamp");

    // The changes are visible in the bytes.
    unsigned char out[sizeof h];
    memcpy(out, &h, sizeof out);
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof out; i++)
        sum += out[i];
    if (h.check == (sum & 0x7f))
        puts("check");
    printf("%u\n", sum);
    return 0;
}
