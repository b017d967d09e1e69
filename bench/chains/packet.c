// Reads a network packet with a checksum over its header, and the goal wants destination port 5353 and a payload QU...
//~ STDIN: "GPC\x11\x00\x0eqs\x03\xe8\x00\x35hi"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The header, in bytes; numbers are big-endian:
 *   0 magic "GP"   2 version and length of the header / 4, four bits each   3 protocol   4 total length
 *   6 checksum     8 source port   10 destination port   12 options, up to the header's length
 */
enum { MAX_INPUT = 4096, MIN_HEADER = 12, UDP = 17 };

enum option { OPTION_END = 0, OPTION_NOP = 1, OPTION_MARK = 2, OPTION_TIME = 3 };

struct packet {
    unsigned header_len, source, destination;
    int n_options, has_mark, has_time;
    const unsigned char *payload;
    size_t payload_len;
};

static unsigned get16(const unsigned char *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* The ones'-complement sum of the header's words, which is 0xffff if its checksum is right. */
static unsigned sum_words(const unsigned char *p, unsigned len)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < len; i += 2)
        sum += get16(p + i);
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static const char *read_option(struct packet *packet, const unsigned char *p, unsigned len)
{
    switch (p[0]) {
    case OPTION_MARK:
        if (len != 4)
            return "a mark has 4 bytes";
        if (packet->has_mark)
            return "two marks";
        packet->has_mark = 1;
        return get16(p + 2) != 0 ? NULL : "an empty mark";
    case OPTION_TIME:
        if (len != 6 && len != 10)
            return "a time has 6 or 10 bytes";
        packet->has_time = 1;
        return NULL;
    default:
        return p[0] >= 128 ? NULL : "unknown option";
    }
}

static const char *read_options(struct packet *packet, const unsigned char *p, const unsigned char *end)
{
    while (p < end && *p != OPTION_END) {
        const char *error;

        if (*p == OPTION_NOP) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p)
            return "bad length of an option";
        error = read_option(packet, p, p[1]);
        if (error)
            return error;
        packet->n_options++;
        p += p[1];
    }
    for (; p < end; p++) {
        if (*p != 0)
            return "something after the options";
    }
    return NULL;
}

static const char *read_header(struct packet *packet, const unsigned char *in, size_t n)
{
    if (n < MIN_HEADER)
        return "too short";
    if (in[0] != 'G' || in[1] != 'P')
        return "bad magic";
    if (in[2] >> 4 != 4)
        return "unknown version";
    packet->header_len = (in[2] & 15u) * 4;
    if (packet->header_len < MIN_HEADER || packet->header_len > n)
        return "bad length of the header";
    if (get16(in + 4) != n)
        return "bad total length";
    if (in[3] != UDP)
        return "unknown protocol";
    if (sum_words(in, packet->header_len) != 0xffff)
        return "bad checksum";
    packet->source = get16(in + 8);
    packet->destination = get16(in + 10);
    if (packet->source == 0 || packet->destination == 0)
        return "no port";
    packet->payload = in + packet->header_len;
    packet->payload_len = n - packet->header_len;
    return read_options(packet, in + MIN_HEADER, packet->payload);
}

static const char *service(unsigned port)
{
    switch (port) {
    case 53: return "domain";
    case 69: return "tftp";
    case 123: return "ntp";
    case 161: return "snmp";
    default: return port < 1024 ? "system" : "user";
    }
}

int main(void)
{
    static unsigned char in[MAX_INPUT];
    struct packet packet = {0};
    size_t n = fread(in, 1, sizeof in, stdin);
    const char *error = read_header(&packet, in, n);

    if (error) {
        fprintf(stderr, "packet: %s\n", error);
        return 1;
    }
    if (packet.destination == 5353 && packet.payload_len >= 2 && memcmp(packet.payload, "QU", 2) == 0)
        abort(); // the goal
    printf("%s, %zu bytes, %d options\n", service(packet.destination), packet.payload_len, packet.n_options);
    if (packet.has_mark && packet.has_time)
        printf("marked and timed\n");
    return 0;
}
