// A packet of eight bytes and its CRC-32, computed bit by bit; type 9 is not handled.
//~ STDIN: "\x01hello..\x00\x00\x00\x00"
//~ FINDS: abort dispatch
//~ SOLUTION: "\x09hello.. \x02e#"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc32(const uint8_t *bytes, int len)
{
    uint32_t crc = 0xffffffff;
    for (int i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

static void dispatch(const uint8_t *packet)
{
    switch (packet[0]) {
    case 1:
    case 2:
        printf("%.7s\n", (const char *)packet + 1);
        break;
    case 9:
        abort(); //~ HERE
    default:
        puts("unknown type");
    }
}

int main(void)
{
    uint8_t packet[12];
    uint32_t sum;
    if (fread(packet, 1, sizeof packet, stdin) != sizeof packet)
        return 1;
    memcpy(&sum, packet + 8, sizeof sum);
    if (crc32(packet, 8) != sum) {
        puts("damaged");
        return 1;
    }
    dispatch(packet);
    return 0;
}
