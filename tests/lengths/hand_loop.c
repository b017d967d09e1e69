// A program that does without the C library's string functions: a title that fills its buffer has no room for its end.
//~ STDIN: "title: Moby Dick\n"
//~ FINDS: stack-out-of-bounds my_strcpy
//~ QUICK
//~ TEXT
#include <stddef.h>
#include <unistd.h>

enum { MAX_TITLE = 300 };

static size_t my_strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != '\0')
        n++;
    return n;
}

__attribute__((noinline)) static void my_strcpy(char *to, const char *from)
{
    while (*from != '\0')
        *to++ = *from++;
    *to = '\0'; //~ HERE
}

static int my_begins(const char *s, const char *prefix)
{
    for (; *prefix != '\0'; s++, prefix++)
        if (*s != *prefix)
            return 0;
    return 1;
}

static void say(const char *s)
{
    if (write(1, s, my_strlen(s)) < 0)
        _exit(2);
}

static int show_title(const char *s)
{
    char title[MAX_TITLE];
    while (*s == ' ')
        s++;
#ifdef FIXED
    if (my_strlen(s) >= sizeof title)
        return -1;
#else
    if (my_strlen(s) > sizeof title)
        return -1;
#endif
    my_strcpy(title, s);
    for (char *p = title; *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
    say(title);
    say("\n");
    return 0;
}

int main(void)
{
    char text[800];
    ssize_t n = read(0, text, sizeof text - 1);
    if (n <= 0)
        return 1;
    if (text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    if (!my_begins(text, "title:")) {
        say("no title\n");
        return 1;
    }
    if (show_title(text + 6) != 0) {
        say("too long\n");
        return 1;
    }
    return 0;
}
