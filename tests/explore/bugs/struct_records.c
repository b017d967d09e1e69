// Records of type, length, value: a nested one of a certain length ends badly.
//~ STDIN: "\x01\x03abc\x02\x01x"
//~ FINDS: abort nested
//~ SOLUTION: "\x05\x06\x07\x04\xca\xfe\xba\xbe"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void nested(const uint8_t *value, size_t len)
{
    if (len < 2 || value[0] != 7 || value[1] != len - 2)
        return;
    if (len == 6 && value[2] == 0xca && value[3] == 0xfe && value[4] == 0xba && value[5] == 0xbe)
        abort(); //~ HERE
}

int main(void)
{
    uint8_t file[48];
    size_t len = fread(file, 1, sizeof file, stdin), at = 0;
    int n_records = 0;
    while (len - at >= 2) {
        uint8_t type = file[at], n_bytes = file[at + 1];
        at += 2;
        if (n_bytes > len - at) {
            puts("cut short");
            return 1;
        }
        if (type == 5)
            nested(file + at, n_bytes);
        at += n_bytes;
        n_records++;
    }
    printf("%d records\n", n_records);
    return 0;
}
