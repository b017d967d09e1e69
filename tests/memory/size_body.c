// A packet names its length with its header and the length of its header; their difference is allocated, also below zero.
//~ STDIN: "PK\x0c\x04body1234"
//~ FINDS: allocation-overflow take_body
//~ SOLUTION: "PK\x03\x04body1234"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_HEADER = 4 };

struct packet {
    int n_total;
    int n_header;
    const uint8_t *bytes;
};

__attribute__((noinline)) static char *take_body(const struct packet *packet)
{
    int n_body = packet->n_total - packet->n_header;
#ifdef FIXED
    if (n_body < 0)
        return NULL;
#endif
    char *body = malloc((size_t)n_body); //~ HERE
    if (!body)
        return NULL;
    memcpy(body, packet->bytes + packet->n_header, (size_t)n_body);
    return body;
}

int main(void)
{
    uint8_t bytes[32];
    int len = (int)fread(bytes, 1, sizeof bytes, stdin);
    if (len < MIN_HEADER || bytes[0] != 'P' || bytes[1] != 'K')
        return 1;
    struct packet packet = {bytes[2], bytes[3], bytes};
    if (packet.n_header < MIN_HEADER || packet.n_header > len || packet.n_total > len)
        return 1;
    char *body = take_body(&packet);
    if (!body) {
        puts("no body");
        return 1;
    }
    fwrite(body, 1, (size_t)(packet.n_total - packet.n_header), stdout);
    putchar('\n');
    free(body);
    return 0;
}
