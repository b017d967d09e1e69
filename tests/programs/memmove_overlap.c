// memmove between overlapping ranges in both directions, memcpy between
// buffers and memset over input bytes, some with input-dependent lengths.
//~ STDIN: "abcdefghijklmnop\x05\x03"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    unsigned char in[18] = {0}, copy[20], other[20] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    memset(copy, '-', sizeof copy);
    memcpy(copy, in, 16);

    // Forward by three: bytes 3..10 become what 0..7 were.
    memmove(copy + 3, copy, 8);
    if (copy[3] == 'a' && copy[10] == 'h' && copy[2] == 'c')
        puts("forward");
    if (copy[11] == 'l')
        puts("untouched");
    // Back by one.
    memmove(copy + 4, copy + 5, 6);
    if (copy[4] == 'c' && copy[9] == 'h')
        puts("back");

    // Lengths and offsets from the input.
    unsigned n = in[16] & 7, offset = in[17] & 3;
    memmove(copy + offset, copy + 2, n);
    if (copy[offset] == 'z')
        puts("z at the offset");
    memset(copy + 12, 'x', n);
    if (copy[16] == 'x')
        puts("filled");
    if (copy[12] == 'm')
        puts("not filled");
    memset(copy + 8, in[0], 3);
    if (copy[9] == 'a' && copy[8] == copy[10])
        puts("filled with an input byte");

    // Deleting the vowels in place, one memmove each.
    unsigned length = 16;
    memcpy(other, in, length);
    for (unsigned i = 0; i < length;) {
        unsigned char c = other[i];
        if (c == 'a' || c == 'e' || c == 'i' || c == 'o') {
            memmove(other + i, other + i + 1, length - i - 1);
            length--;
        } else {
            i++;
        }
    }
    if (length == 12)
        puts("four vowels");
    if (other[3] == 'f')
        puts("shifted");
    printf("%u\n", length);
    return 0;
}
