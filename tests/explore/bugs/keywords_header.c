// Header lines, names without regard to case, and a value that is wanted in full.
//~ STDIN: "Host: a\nAccept: b\nTransfer-Encoding: c\n"
//~ FINDS: assertion finish
//~ SOLUTION: "hOsT: \nconnection: UPGRADE\ntransfer-encoding: chunked\n"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int has_host, is_chunked, is_upgraded;

static void header(char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    char *value = colon + 1;
    while (*value == ' ')
        value++;
    if (strcasecmp(line, "host") == 0)
        has_host = 1;
    else if (strcasecmp(line, "transfer-encoding") == 0)
        is_chunked = strcmp(value, "chunked") == 0;
    else if (strcasecmp(line, "connection") == 0)
        is_upgraded = strcasecmp(value, "upgrade") == 0;
}

static void finish(void)
{
    if (has_host)
        assert(!is_chunked || !is_upgraded); //~ HERE
    printf("%d %d %d\n", has_host, is_chunked, is_upgraded);
}

int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        header(line);
    }
    finish();
    return 0;
}
