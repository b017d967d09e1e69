// A record of type NXT: the length of a name is taken from the length of the data, which can be the smaller one.
//~ STDIN: "www\0\0\x01\0\x08mail\0\x01\x02\x03"
//~ FINDS: stack-out-of-bounds rrextract
//~ SOLUTION: "www\0\0\x1e\0\x02mail\0\x01\x02\x03"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GETSHORT(s, cp)                                          \
    do {                                                         \
        const uint8_t *t_cp = (cp);                              \
        (s) = (int16_t)((uint16_t)t_cp[0] << 8 | (uint16_t)t_cp[1]); \
        (cp) += 2;                                               \
    } while (0)

enum { T_NXT = 30, MAXDATA = 24, MAXNAME = 15 };

static int rrextract(const uint8_t *msg, int msglen)
{
    int n;
    int16_t type, dlen;
    uint8_t data[MAXDATA * 2] = {0};
    const uint8_t *eom = msg + msglen, *cp = msg;

    n = (int)strlen((const char *)cp);
    if (n > MAXNAME)
        return -1;
    cp += n + 1;
    if (eom - cp < 4)
        return -1;
    GETSHORT(type, cp);
    GETSHORT(dlen, cp);
    if (dlen > eom - cp)
        return -1;
    if (type != T_NXT)
        return 0;
    n = (int)strlen((const char *)cp) + 1;
    if (n > MAXNAME)
        return -1;
#ifdef FIXED
    if (dlen < n)
        return -1;
#endif
    cp += n;
    memcpy(data, cp, (size_t)(dlen - n)); //~ HERE
    printf("NXT, %d bytes, first %u\n", dlen - n, data[0]);
    return 0;
}

int main(void)
{
    uint8_t msg[49] = {0};
    int msglen = (int)fread(msg, 1, sizeof msg - 1, stdin);
    return rrextract(msg, msglen) != 0;
}
