// A tag of a packet is compared with the key, in the length that the packet says, scrambled.
//~ STDIN: "\0\0\0\0aaaaaaaaaaaaaaaa"
//~ FINDS: global-out-of-bounds is_known
//~ SOLUTION: "\xd9\xa9\xe4\x82abcdefg\0aaaaaaaa"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char key[8] = "abcdefg";

__attribute__((noinline)) static int is_known(const uint8_t *packet)
{
    uint32_t n = (packet[0] | packet[1] << 8 | packet[2] << 16 | (uint32_t)packet[3] << 24) * 2654435761u;
#ifdef FIXED
    if (n > sizeof key)
        return 0;
#else
    if (n > 16)
        return 0;
#endif
    return n != 0 && memcmp(packet + 4, key, n) == 0; //~ HERE
}

int main(void)
{
    uint8_t packet[20];
    if (fread(packet, 1, sizeof packet, stdin) != sizeof packet)
        return 1;
    puts(is_known(packet) ? "known" : "unknown");
    return 0;
}
