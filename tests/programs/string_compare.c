// memcmp, strcmp, strncmp and strlen on the input: against constants, of two
// parts of the input, with their order used, and with input-dependent length.
//~ STDIN: "GIF89a\0abcdef\0abcdeg\0\x05"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *order(int v)
{
    return v < 0 ? "before" : v > 0 ? "after" : "equal";
}

int main(void)
{
    char in[23] = {0};
    if (read(0, in, 22) < 0)
        return 1;
    const char *a = in + 7, *b = in + 14;

    if (memcmp(in, "GIF8", 4) == 0) {
        puts("gif");
        if (in[4] == '7' || in[4] == '9')
            puts("known version");
    }
    if (strcmp(in, "PNG") == 0)
        puts("png");
    if (strcmp(a, "abcdef") == 0)
        puts("abcdef");
    if (strncmp(in, "GIFT", 3) == 0 && strncmp(b, "abcxyz", 4) != 0)
        puts("prefix");
    puts(order(strcmp(a, b)));
    puts(order(strncmp(a, b, 5)));
    puts(order(memcmp(a, b, 6)));
    puts(order(strcmp(a, "b")));

    size_t length = strlen(a);
    if (length == 6)
        puts("six");
    else if (length < 3)
        puts("short");
    if (strlen(in) + strlen(b) == 10)
        puts("ten together");
    if (!*in)
        puts("empty");

    // How much is compared depends on the input too.
    size_t count = (unsigned char)in[21] & 7;
    if (memcmp(a, b, count < 6 ? count : 6) == 0)
        puts("equal as far as compared");
    if (strncmp(in, a, count) > 0)
        puts("greater");
    return 0;
}
