// A text is quoted for a database: the first pass counts what the second writes, but knows one kind of character less.
//~ STDIN: "INSERT it's 5 o'clock\n"
//~ FINDS: global-out-of-bounds quote
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 400, MAX_QUOTED = 600 };

static char quoted[MAX_QUOTED];

// Bytes of the text when it is quoted.
static size_t quoted_length(const char *text)
{
    size_t n = 2;
    for (; *text; text++) {
        switch (*text) {
        case '\'':
        case '\\':
#ifdef FIXED
        case '%':
#endif
            n += 2;
            break;
        default:
            n++;
        }
    }
    return n;
}

static int quote(const char *text)
{
    char *out = quoted;
    if (quoted_length(text) >= sizeof quoted)
        return -1;
    *out++ = '\'';
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\' || *text == '%')
            *out++ = '\\'; //~ HERE
        *out++ = *text; //~ HERE
    }
    *out++ = '\''; //~ HERE
    *out = '\0'; //~ HERE
    return 0;
}

static int insert(const char *text)
{
    if (strlen(text) > MAX_TEXT) {
        puts("too long");
        return 1;
    }
    if (quote(text) != 0) {
        puts("too long when quoted");
        return 1;
    }
    printf("INSERT INTO notes VALUES (%s)\n", quoted);
    return 0;
}

int main(void)
{
    char line[1000];
    int status = 0;
    while (status == 0 && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "INSERT ", 7) == 0)
            status = insert(line + 7);
        else if (strcmp(line, "QUIT") == 0)
            break;
        else
            puts("?");
    }
    return status;
}
