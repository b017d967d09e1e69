// A packet with its bytes behind its header; the terminator of a text has no room of its own.
//~ STDIN: "\x01\x05helloD\x03abc"
//~ FINDS: heap-out-of-bounds receive
//~ SOLUTION: "\x01\x05helloT\x03abc"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELLO = 1, DATA = 'D', TEXT = 'T' };

struct packet {
    uint8_t kind;
    uint8_t len;
    uint8_t bytes[];
};

static struct packet *receive(const uint8_t *wire, size_t n_left)
{
    if (n_left < 2 || wire[1] > n_left - 2)
        return NULL;
    size_t size = sizeof(struct packet) + wire[1];
#ifdef FIXED
    if (wire[0] == TEXT)
        size++;
#endif
    struct packet *packet = malloc(size);
    if (!packet)
        return NULL;
    packet->kind = wire[0];
    packet->len = wire[1];
    memcpy(packet->bytes, wire + 2, wire[1]);
    if (packet->kind == TEXT)
        packet->bytes[packet->len] = '\0'; //~ HERE
    return packet;
}

static void show(const struct packet *packet)
{
    if (packet->kind == TEXT)
        printf("text %s\n", (const char *)packet->bytes);
    else if (packet->kind == DATA)
        printf("data, %u bytes\n", packet->len);
    else if (packet->kind == HELLO)
        puts("hello");
}

int main(void)
{
    uint8_t wire[32];
    size_t len = fread(wire, 1, sizeof wire, stdin), at = 0;
    struct packet *packet;
    while ((packet = receive(wire + at, len - at)) != NULL) {
        at += 2u + packet->len;
        show(packet);
        free(packet);
    }
    return at == len ? 0 : 1;
}
