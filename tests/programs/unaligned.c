// Unaligned loads and stores: through memcpy at input-dependent and odd
// offsets, and through a packed struct.
//~ STDIN: "\x03zzz\xde\xad\xbe\xef\x01\x02\x03\x04\x05\x06\x07\x08"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct __attribute__((packed)) entry {
    uint8_t kind;
    uint32_t size;
    uint16_t flags;
    uint64_t position;
};

static uint16_t load16(const void *p) { uint16_t v; memcpy(&v, p, sizeof v); return v; }
static uint32_t load32(const void *p) { uint32_t v; memcpy(&v, p, sizeof v); return v; }
static uint64_t load64(const void *p) { uint64_t v; memcpy(&v, p, sizeof v); return v; }
static void store32(void *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void store64(void *p, uint64_t v) { memcpy(p, &v, sizeof v); }

int main(void)
{
    unsigned char in[16] = {0}, out[24] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    if (load16(in + 3) == 0xde7a)
        puts("16 at 3");
    if (load32(in + 5) == 0x01efbeadu)
        puts("32 at 5");
    if (load64(in + 7) == 0x07060504030201ef)
        puts("64 at 7");

    // An offset taken from the input.
    uint32_t at = load32(in + (in[0] & 7));
    if (at == 0xbeadde7a)
        puts("at the offset");

    store32(out + 1, load32(in + 4) + 1);
    store64(out + 11, load64(in + 1) ^ load64(in + 8));
    if (out[1] == 0xdf && out[4] == 0xef)
        puts("stored 32");
    if (out[18] == 0x0c || load16(out + 17) == 0x0605)
        puts("stored 64");

    struct entry e;
    memcpy(&e, in + 1, sizeof e);
    if (e.size == 0xaddE7a7a)
        puts("packed size");
    e.position += e.flags;
    if ((uint8_t)e.position == 0xbf)
        puts("packed position");
    unsigned char bytes[sizeof e];
    memcpy(bytes, &e, sizeof e);
    if (bytes[7] + bytes[8] == 0xbf + 0xf1)
        puts("packed bytes");
    return 0;
}
