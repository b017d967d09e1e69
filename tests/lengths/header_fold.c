// Headers of a mail, with those that are folded put together; the name is taken over byte by byte, and one byte more
// than there is room for.
//~ STDIN: "To: ann@b.org\nSubject: hi\n there\n\n"
//~ FINDS: global-out-of-bounds split_header
//~ TEXT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_HEADER = 2000 };

static char name[256];
static char text[MAX_HEADER];
static size_t length;

static int is_name_char(char c)
{
    return c > ' ' && c < 127 && c != ':';
}

// Takes the name of the header that was put together, in small letters, and returns what is behind it.
static const char *split_header(const char *header)
{
    size_t i = 0;
#ifdef FIXED
    while (i < sizeof name - 1 && is_name_char(header[i])) {
#else
    while (i <= sizeof name && is_name_char(header[i])) {
#endif
        name[i] = (char)tolower((unsigned char)header[i]); //~ HERE
        i++;
    }
    name[i] = '\0'; //~ HERE
    if (i == 0 || header[i] != ':')
        return NULL;
    header += i + 1;
    while (*header == ' ' || *header == '\t')
        header++;
    return header;
}

static int finish(void)
{
    if (length == 0)
        return 0;
    const char *value = split_header(text);
    if (!value)
        return -1;
    printf("%s=%s\n", name, value);
    length = 0;
    return 0;
}

static void append(const char *line, size_t n)
{
    if (n > sizeof text - 1 - length)
        n = sizeof text - 1 - length;
    memcpy(text + length, line, n);
    length += n;
    text[length] = '\0';
}

int main(void)
{
    char line[1000];
    while (fgets(line, sizeof line, stdin) && line[0] != '\n') {
        size_t n = strcspn(line, "\n");
        if (line[0] != ' ' && line[0] != '\t' && finish() != 0) {
            puts("no header");
            return 1;
        }
        append(line, n);
    }
    return finish() != 0;
}
