// Reads an ini file, and the goal wants [net] with port 8443, tls, a host of 9 with q, and then [log] with level 7.
//~ STDIN: "# a comment\n[log]\nlevel=2\n[net]\nport=80\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096, MAX_HOST = 30 };

enum section { NO_SECTION, NET, LOG, N_SECTIONS };

struct text {
    const char *start;
    size_t len;
};

struct settings {
    enum section section;
    int order[N_SECTIONS];  /* 1 for the section that came first */
    int n_sections;
    int port, tls, level, to_file;
    struct text host;
};

static int is(struct text text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.start, word, text.len) == 0;
}

static struct text trim(const char *start, const char *end)
{
    struct text text = {start, 0};

    while (text.start < end && *text.start == ' ')
        text.start++;
    while (end > text.start && end[-1] == ' ')
        end--;
    text.len = (size_t)(end - text.start);
    return text;
}

/* A decimal number of 0 to max, or -1. */
static int number(struct text text, int max)
{
    int value = 0;

    if (text.len == 0 || text.len > 5)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.start[i] < '0' || text.start[i] > '9')
            return -1;
        value = value * 10 + (text.start[i] - '0');
    }
    return value <= max ? value : -1;
}

static const char *check_host(struct text host)
{
    if (host.len == 0 || host.len > MAX_HOST)
        return "a host has 1 to 30 characters";
    for (size_t i = 0; i < host.len; i++) {
        char c = host.start[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'))
            return "no host has this character";
    }
    return NULL;
}

static const char *set_net(struct settings *settings, struct text key, struct text value)
{
    if (is(key, "port")) {
        settings->port = number(value, 65535);
        return settings->port > 0 ? NULL : "no such port";
    }
    if (is(key, "tls")) {
        settings->tls = is(value, "yes");
        return settings->tls || is(value, "no") ? NULL : "tls is yes or no";
    }
    if (is(key, "host")) {
        settings->host = value;
        return check_host(value);
    }
    return "unknown key in [net]";
}

static const char *set_log(struct settings *settings, struct text key, struct text value)
{
    if (is(key, "level")) {
        settings->level = number(value, 9);
        return settings->level >= 0 ? NULL : "a level is 0 to 9";
    }
    if (is(key, "file")) {
        settings->to_file = 1;
        return value.len > 0 ? NULL : "no name of a file";
    }
    return "unknown key in [log]";
}

static const char *read_line(struct settings *settings, struct text line)
{
    const char *equals;
    struct text key, value;

    if (line.len == 0 || line.start[0] == '#')
        return NULL;
    if (line.start[0] == '[') {
        settings->section = is(line, "[net]") ? NET : is(line, "[log]") ? LOG : NO_SECTION;
        if (settings->section == NO_SECTION)
            return "unknown section";
        if (settings->order[settings->section])
            return "a section twice";
        settings->order[settings->section] = ++settings->n_sections;
        return NULL;
    }
    equals = memchr(line.start, '=', line.len);
    if (!equals)
        return "no =";
    key = trim(line.start, equals);
    value = trim(equals + 1, line.start + line.len);
    switch (settings->section) {
    case NET: return set_net(settings, key, value);
    case LOG: return set_log(settings, key, value);
    default: return "a key before the first section";
    }
}

int main(void)
{
    static char in[MAX_INPUT];
    struct settings settings = {0};
    size_t n = fread(in, 1, sizeof in, stdin);

    for (const char *at = in, *end = in + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *error = read_line(&settings, trim(at, stop));

        if (error) {
            fprintf(stderr, "settings: %s\n", error);
            return 1;
        }
        at = newline ? stop + 1 : end;
    }
    if (settings.port == 8443 && settings.tls && settings.host.len == 9 && settings.host.start[0] == 'q'
        && settings.order[LOG] > settings.order[NET] && settings.level == 7)
        abort(); // the goal
    printf("port %d, tls %d, level %d, file %d\n", settings.port, settings.tls, settings.level, settings.to_file);
    return 0;
}
