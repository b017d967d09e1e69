// The text of a DNS answer is copied with the length that the answer names, which may fill the buffer to its last byte.
//~ STDIN: "\x00\x01\x04textabcd"
//~ FINDS: unterminated-string answer
//~ SOLUTION: "\x00\x10\x08textabcd"
//~ QUICK
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { T_TXT = 16, MAX_TXT = 8 };

__attribute__((noinline)) static int copy_text(char *to, const uint8_t *from, size_t len)
{
#ifdef FIXED
    if (len >= MAX_TXT)
        return -1;
#else
    if (len > MAX_TXT)
        return -1;
#endif
    memset(to, 0, MAX_TXT);
    strncpy(to, (const char *)from, len);
    return 0;
}

static int answer(const uint8_t *rdata, size_t len)
{
    char text[MAX_TXT];
    if (copy_text(text, rdata, len) != 0)
        return -1;
    printf("%zu characters\n", strlen(text)); //~ HERE
    return 0;
}

int main(void)
{
    uint8_t msg[24];
    size_t n = fread(msg, 1, sizeof msg, stdin);
    if (n < 3 || msg[2] > n - 3)
        return 1;
    if ((msg[0] << 8 | msg[1]) != T_TXT) {
        puts("not a text");
        return 0;
    }
    return answer(msg + 3, msg[2]) != 0;
}
