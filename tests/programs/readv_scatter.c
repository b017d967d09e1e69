// readv: one read scattered over a header, a body and a trailer, with empty
// and unaligned parts.
//~ STDIN: "\x48\x44\x05\x00hello world!\x2a\x07sum"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct header { char magic[2]; uint16_t length; };

int main(void)
{
    struct header header = {{0}, 0};
    unsigned char body[12] = {0}, trailer[2] = {0}, frame[8] = {0};
    struct iovec parts[] = {
        {&header, sizeof header},
        {body, 5},
        {frame, 0},
        {body + 5, 7},
        {trailer, sizeof trailer},
    };
    ssize_t n = readv(0, parts, 5);
    if (n < 0)
        return 1;
    if (n < 18)
        puts("short");

    if (header.magic[0] == 'H' && header.magic[1] == 'D')
        puts("magic");
    if (header.length <= sizeof body) {
        unsigned sum = 0;
        for (unsigned i = 0; i < header.length; i++)
            sum += body[i];
        if (sum % 256 == 0x14)
            puts("sum of the body");
    } else {
        puts("too long");
    }
    if (body[4] == 'o' && body[5] == ' ')
        puts("across the parts");
    if (trailer[0] == 6 * trailer[1])
        puts("trailer");

    // A second one, to odd addresses.
    struct iovec rest[] = {{frame + 1, 1}, {frame + 5, 2}};
    n = readv(0, rest, 2);
    if (n == 3 && frame[1] == 's' && frame[6] == 'm')
        puts("rest");
    if (frame[0] || frame[2])
        puts("never");
    if (frame[5] > frame[6])
        puts("falling");
    return 0;
}
