// A base64 decoder with a table made at run time, padding and errors; the
// decoded bytes are looked at.
//~ STDIN: "R2ltbGV0\nIDIuMA=="
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static signed char values[256];

static void fill_values(void)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(values, -1, sizeof values);
    for (int i = 0; i < 64; i++)
        values[(unsigned char)alphabet[i]] = (signed char)i;
}

// Returns the number of bytes, or -1 when the text is not base64.
static int decode(const unsigned char *p, int n, unsigned char *out)
{
    unsigned group = 0, count = 0, padding = 0;
    int length = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] == '\n')
            continue;
        if (p[i] == '=') {
            padding++;
        } else if (padding > 0 || values[p[i]] < 0) {
            return -1;
        }
        group = group << 6 | (p[i] == '=' ? 0 : (unsigned)values[p[i]]);
        if (++count % 4 != 0)
            continue;
        if (padding > 2)
            return -1;
        out[length++] = (unsigned char)(group >> 16);
        if (padding < 2)
            out[length++] = (unsigned char)(group >> 8);
        if (padding < 1)
            out[length++] = (unsigned char)group;
    }
    return count % 4 == 0 ? length : -1;
}

int main(void)
{
    unsigned char in[24] = {0}, out[24] = {0};
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;
    fill_values();
    int length = decode(in, (int)n, out);
    if (length < 0) {
        puts("invalid");
        return 2;
    }
    if (memcmp(out, "Gimlet", 6) == 0)
        puts("Gimlet");
    if (length > 7 && out[7] == '3')
        puts("version 3");
    unsigned sum = 0;
    for (int i = 0; i < length; i++)
        sum += out[i];
    if (sum == 773)
        puts("sum");
    printf("%d %u\n", length, sum);
    return 0;
}
