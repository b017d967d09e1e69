// A big-endian file header behind a magic number and a checksum, with a table
// of sections whose bounds are checked.
//~ FILE: "\x89GMT\x00\x02\x00\x02\x29\x25\x00\x18\x00\x04\x00\x1c\x00\x03\x00\x00TXT DATAxyz"
//~ ARGS: @@
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint16_t big16(const unsigned char *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

// Sum of all 16-bit words in one's complement, the field itself as zero.
static uint16_t checksum(const unsigned char *p, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        if (i != 8)
            sum += big16(p + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static int fail(const char *why)
{
    puts(why);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned char data[64] = {0};
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 2;
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);

    if (size < 12)
        return fail("too short");
    if (memcmp(data, "\x89GMT", 4) != 0)
        return fail("bad magic");
    if (big16(data + 4) != 2)
        return fail("bad version");
    unsigned sections = big16(data + 6);
    if (sections > 8 || 10 + sections * 4 > size)
        return fail("too many sections");
    if (big16(data + 8) != checksum(data, 20))
        puts("bad checksum");
    else
        puts("good checksum");

    unsigned text = 0;
    for (unsigned i = 0; i < sections; i++) {
        unsigned at = big16(data + 10 + i * 4), length = big16(data + 12 + i * 4);
        if (at + length > size)
            return fail("section beyond the end");
        if (length == 4 && memcmp(data + at, "DATA", 4) == 0)
            puts("data");
        for (unsigned j = 0; j < length; j++)
            text += data[at + j] >= 'a' && data[at + j] <= 'z';
    }
    if (text == 3)
        puts("three letters");
    printf("%u %u\n", sections, text);
    return 0;
}
