// A web server shifts the dots and slashes out of a name, and notes them; the last character is never shifted out.
//~ STDIN: "GET /song.mp3 HTTP"
//~ FINDS: global-out-of-bounds note
//~ SOLUTION: "GET /. ng.mp3 HTTP"
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

static char name[24 * SCALE];
static char dropped[24 * SCALE];

__attribute__((noinline)) static void note(char *notes, size_t at, char c)
{
    notes[at] = c; //~ HERE
}

static size_t clean(char *cp)
{
    size_t n_dropped = 0;
    while (cp[0] == '.' || cp[0] == '/') {
        note(dropped, n_dropped++, cp[0]);
#ifdef FIXED
        memmove(cp, cp + 1, strlen(cp));
#else
        for (int i = 1; cp[i] != '\0'; i++) {
            cp[i - 1] = cp[i];
            if (cp[i + 1] == '\0')
                cp[i] = '\0';
        }
#endif
    }
    return n_dropped;
}

int main(void)
{
    char request[24 * SCALE] = {0};
    size_t n = 0;
    fread(request, 1, sizeof request - 1, stdin);
    if (strncmp(request, "GET /", 5) != 0) {
        puts("400");
        return 1;
    }
    for (const char *c = request + 5; *c && *c != ' '; c++)
        name[n++] = *c;
    name[n] = '\0';
    size_t n_dropped = clean(name);
    printf("%s, without %zu characters, the first %d\n", name, n_dropped, dropped[0]);
    return 0;
}
