// A mail address that begins with a relay: the colon behind the relay is taken for granted.
//~ STDIN: "<joe@a.de>\n"
//~ FINDS: null-dereference route
//~ SOLUTION: "<@oe;a.de>\n"
#include <stdio.h>
#include <string.h>

struct path {
    const char *relay;
    char *mailbox;
};

__attribute__((noinline)) static int route(struct path *path, char *text)
{
    char *colon = strchr(text, ':');
#ifdef FIXED
    if (!colon)
        return -1;
#endif
    *colon = '\0'; //~ HERE
    path->relay = text;
    path->mailbox = colon + 1;
    return 0;
}

static int parse(struct path *path, char *text)
{
    char *end = strchr(text, '>');
    if (*text != '<' || !end)
        return -1;
    *end = '\0';
    text++;
    path->relay = "";
    path->mailbox = text;
    if (*text == '@' && route(path, text + 1) != 0)
        return -1;
    return strchr(path->mailbox, '@') ? 0 : -1;
}

int main(void)
{
    char text[32];
    struct path path;
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (parse(&path, text) != 0) {
        puts("553");
        return 1;
    }
    printf("%s by (%s)\n", path.mailbox, path.relay);
    return 0;
}
