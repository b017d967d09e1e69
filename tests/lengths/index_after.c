// A line of a log is taken over by index, and ended there; a line that fills the buffer is ended behind it.
//~ STDIN: "Nov 11 kernel: eth0 up\n"
//~ FINDS: global-out-of-bounds take_line
//~ TEXT
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 512 };

static char out[MAX_LINE];
static unsigned n_words;

static int take_line(const char *line, size_t length)
{
    int in_word = 0;
#ifdef FIXED
    if (length >= MAX_LINE)
        return -1;
#else
    if (length > MAX_LINE)
        return -1;
#endif
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        // What is not printable would do things to a terminal.
        out[i] = c < ' ' || c == 127 ? '?' : (char)c;
        if (c == ' ')
            in_word = 0;
        else if (!in_word) {
            in_word = 1;
            n_words++;
        }
    }
    out[length] = '\0'; //~ HERE
    return 0;
}

int main(void)
{
    char text[1500];
    size_t n = 0;
    for (;;) {
        ssize_t got = read(0, text + n, sizeof text - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        if (n == sizeof text)
            break;
    }
    size_t start = 0;
    while (start < n) {
        const char *end = memchr(text + start, '\n', n - start);
        size_t length = end ? (size_t)(end - text) - start : n - start;
        if (take_line(text + start, length) != 0)
            puts("(line too long)");
        else
            printf("%s\n", out);
        start += length + 1;
    }
    printf("%u words\n", n_words);
    return 0;
}
