// A DNS record with a signature: its length is compared with the message, but not with the length of the signature.
//~ STDIN: "\x03www\x00\x01\x00\x08\x05\x06sign12"
//~ FINDS: heap-out-of-bounds read_sig
//~ SOLUTION: "\x03www\x00\x18\x00\x08\x05\x03sign12"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T_A = 1, T_SIG = 24 };

struct sig {
    uint8_t algorithm;
    uint8_t n_bytes;
    uint8_t *bytes;
};

static int read_sig(struct sig *sig, const uint8_t *rdata, size_t rdlen)
{
    if (rdlen < 2 || rdata[1] == 0)
        return -1;
    sig->algorithm = rdata[0];
    sig->n_bytes = rdata[1];
#ifdef FIXED
    if (sig->n_bytes != rdlen - 2)
        return -1;
#endif
    sig->bytes = calloc(sig->n_bytes, 1);
    if (!sig->bytes)
        return -1;
    memcpy(sig->bytes, rdata + 2, rdlen - 2); //~ HERE
    return 0;
}

__attribute__((noinline)) static unsigned key_tag(const struct sig *sig)
{
    unsigned tag = sig->algorithm;
    for (int i = 0; i < sig->n_bytes; i++)
        tag += sig->bytes[i];
    return tag;
}

static unsigned get_short(const uint8_t *cp)
{
    return (unsigned)cp[0] << 8 | cp[1];
}

static int read_record(const uint8_t *msg, size_t len)
{
    if (len < 1 || msg[0] > 8 || len < msg[0] + 5u)
        return -1;
    const uint8_t *cp = msg + 1 + msg[0];
    unsigned type = get_short(cp);
    unsigned rdlen = get_short(cp + 2);
    cp += 4;
    if (rdlen > (size_t)(msg + len - cp))
        return -1;
    if (type == T_SIG) {
        struct sig sig;
        if (read_sig(&sig, cp, rdlen) != 0)
            return -1;
        printf("SIG %u\n", key_tag(&sig));
        free(sig.bytes);
    } else if (type == T_A) {
        printf("A, %u bytes\n", rdlen);
    }
    return 0;
}

int main(void)
{
    uint8_t msg[40];
    size_t len = fread(msg, 1, sizeof msg, stdin);
    return read_record(msg, len) != 0;
}
