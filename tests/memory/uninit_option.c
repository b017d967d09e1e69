// The options of a handshake: a segment size has a unit, which is looked at even if it was left out.
//~ STDIN: "W\x01\x07S\x02\x05bT\x00"
//~ FINDS: uninitialised segment_size
//~ SOLUTION: "W\x01\x07S\x01\x05T\x01\x00"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_VALUE = 4 };

__attribute__((noinline)) static int copy_value(uint8_t *value, const uint8_t *option)
{
    if (option[1] == 0 || option[1] > MAX_VALUE)
        return 0;
    memcpy(value, option + 2, option[1]);
    return option[1];
}

__attribute__((noinline)) static int segment_size(const uint8_t *option)
{
    uint8_t value[MAX_VALUE];
    int n_bytes = copy_value(value, option);
#ifdef FIXED
    if (n_bytes != 2)
        return -1;
#else
    if (n_bytes == 0)
        return -1;
#endif
    int size = value[0];
    if (value[1] == 'k') { //~ HERE
        puts("in kilobytes");
        size *= 1024;
    }
    return size;
}

int main(void)
{
    uint8_t options[16];
    size_t len = fread(options, 1, sizeof options, stdin), at = 0;
    while (len - at >= 2 && options[at + 1] <= len - at - 2) {
        if (options[at] == 'S')
            printf("segments of %d\n", segment_size(options + at));
        else if (options[at] == 'W')
            printf("window, %d bytes\n", options[at + 1]);
        at += 2u + options[at + 1];
    }
    return at == len ? 0 : 1;
}
