// A mail address is cracked into a buffer, with room kept for what has to be closed at its end; a closing angle bracket
// gives a byte of room back that the opening one never took.
//~ STDIN: "From: Joe <joe@a.de>\n"
//~ FINDS: global-out-of-bounds crackaddr
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAXNAME = 200 };

static char cracked[MAXNAME];

static const char *header_value(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0)
        return NULL;
    line += length;
    while (*line == ' ' || *line == '\t')
        line++;
    return line;
}

static void crackaddr(const char *address)
{
    char *bp = cracked;
    char *limit = &cracked[MAXNAME - 1];
    int in_quotes = 0, in_angle = 0, is_angle_kept = 0;

    for (; *address; address++) {
        char c = *address;
        if (in_quotes && c != '"') {
            if (bp < limit)
                *bp++ = c; //~ HERE
            continue;
        }
        switch (c) {
        case '"':
            if (in_quotes) {
                in_quotes = 0;
                limit++;
                *bp++ = c; //~ HERE
            } else if (bp + 1 < limit) {
                in_quotes = 1;
                limit--;
                *bp++ = c; //~ HERE
            }
            break;
        case '<':
            if (in_angle)
                break;
            in_angle = 1;
            if (bp + 1 < limit) {
                is_angle_kept = 1;
#ifdef FIXED
                limit--;
#endif
                *bp++ = c; //~ HERE
            }
            break;
        case '>':
            if (!in_angle)
                break;
            in_angle = 0;
            if (is_angle_kept) {
                is_angle_kept = 0;
                limit++;
                *bp++ = c; //~ HERE
            }
            break;
        default:
            if (bp < limit)
                *bp++ = c; //~ HERE
        }
    }
    if (in_quotes)
        *bp++ = '"'; //~ HERE
    if (is_angle_kept)
        *bp++ = '>'; //~ HERE
    *bp = '\0'; //~ HERE
}

int main(void)
{
    char line[1000];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0')
            break;
        const char *from = header_value(line, "From:");
        if (from) {
            crackaddr(from);
            printf("from %s\n", cracked);
        }
    }
    return 0;
}
