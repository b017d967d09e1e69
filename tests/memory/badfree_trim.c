// The message of the day is copied, its leading blanks are passed over, and what is freed is where that ended.
//~ STDIN: "port=21\nname= ftp\nmotd=hello\n"
//~ FINDS: invalid-free set_motd
//~ SOLUTION: "port=21\nname= ftp\nmotd= ello\n"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char shown[16];

static void set_motd(const char *text)
{
    char *motd = strdup(text);
    if (!motd)
        return;
    char *start = motd;
    while (*start == ' ')
        start++;
    snprintf(shown, sizeof shown, "%s", start);
#ifdef FIXED
    free(motd);
#else
    free(start); //~ HERE
#endif
}

static void setting(const char *line)
{
    if (strncmp(line, "motd=", 5) == 0)
        set_motd(line + 5);
    else if (strncmp(line, "port=", 5) == 0)
        printf("port %d\n", atoi(line + 5));
    else
        printf("ignored: %s\n", line);
}

int main(void)
{
    char text[40];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        setting(line);
    puts(shown);
    return 0;
}
