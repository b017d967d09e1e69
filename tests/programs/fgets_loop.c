// A loop over lines with fgets: key=value settings, comments, and lines
// longer than the buffer.
//~ STDIN: "# settings\nsize=12\nname=gimlet\nmode=fast\nan overlong line of text\nsize=30"
#include <stdio.h>
#include <string.h>

static unsigned number(const char *s)
{
    unsigned v = 0;
    while (*s >= '0' && *s <= '9')
        v = (v * 10 + (unsigned)(*s++ - '0')) % 100000;
    return v;
}

int main(void)
{
    char line[16];
    unsigned lines = 0, comments = 0, size = 0, overlong = 0, unknown = 0;
    int fast = 0, continued = 0;

    while (fgets(line, sizeof line, stdin)) {
        size_t length = strlen(line);
        int whole = length > 0 && line[length - 1] == '\n';
        if (continued) {
            continued = !whole;
            continue;
        }
        lines++;
        continued = !whole;
        if (whole)
            line[length - 1] = '\0';
        else if (length == sizeof line - 1)
            overlong++;

        if (line[0] == '#')
            comments++;
        else if (strncmp(line, "size=", 5) == 0)
            size += number(line + 5);
        else if (strcmp(line, "mode=fast") == 0)
            fast = 1;
        else if (strncmp(line, "name=", 5) != 0)
            unknown++;
    }
    if (size == 42)
        puts("size is 42");
    if (fast && comments > 0)
        puts("fast, with comments");
    if (!feof(stdin))
        puts("no end");
    printf("%u lines, %u overlong, %u unknown, size %u\n", lines, overlong, unknown, size);
    return 0;
}
