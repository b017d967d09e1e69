// Reads lines of a mail protocol; the goal wants HELO, AUTH 9021, two MAILs, DATA n (n > 1000, n % 97 == 13), QUIT.
//~ STDIN: "HELO me\nNOOP\nAUTH 1\nQUIT\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096, MAX_LINE = 64, MAX_DENIED = 3 };

enum state { CONNECTED, GREETED, KNOWN, MAILING, SENT, CLOSED };

struct session {
    enum state state;
    int n_mails, n_denied;
    long size;
};

struct command {          /* a line, divided at its first space */
    const char *verb, *arg;
    size_t verb_len, arg_len;
};

static int is(const struct command *command, const char *verb)
{
    return command->verb_len == strlen(verb) && memcmp(command->verb, verb, command->verb_len) == 0;
}

/* A number of up to five digits, or -1. */
static long number(const struct command *command)
{
    long value = 0;

    if (command->arg_len == 0 || command->arg_len > 5)
        return -1;
    for (size_t i = 0; i < command->arg_len; i++) {
        char c = command->arg[i];

        if (c < '0' || c > '9')
            return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

static const char *greet(struct session *session, const struct command *command)
{
    if (session->state != CONNECTED)
        return "greeted already";
    if (command->arg_len == 0)
        return "HELO needs a name";
    for (size_t i = 0; i < command->arg_len; i++) {
        char c = command->arg[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c == '.' && i > 0)))
            return "not a name";
    }
    session->state = GREETED;
    return NULL;
}

static const char *log_in(struct session *session, const struct command *command)
{
    long code = number(command);

    if (session->state != GREETED)
        return "AUTH comes after HELO";
    if (code < 0)
        return "AUTH needs a code";
    if (code == 9021)
        session->state = KNOWN;
    else if (++session->n_denied == MAX_DENIED)
        return "denied too often";
    return NULL;
}

static const char *add_mail(struct session *session, const struct command *command)
{
    if (session->state != KNOWN && session->state != MAILING)
        return "MAIL comes after AUTH";
    if (command->arg_len == 0)
        return "MAIL needs an address";
    session->n_mails++;
    session->state = MAILING;
    return NULL;
}

static const char *take_data(struct session *session, const struct command *command)
{
    if (session->state != MAILING)
        return "DATA comes after MAIL";
    session->size = number(command);
    if (session->size <= 0)
        return "DATA needs a size";
    session->state = SENT;
    return NULL;
}

static const char *obey(struct session *session, const struct command *command)
{
    if (session->state == CLOSED)
        return "a command after QUIT";
    if (is(command, "HELO"))
        return greet(session, command);
    if (is(command, "AUTH"))
        return log_in(session, command);
    if (is(command, "MAIL"))
        return add_mail(session, command);
    if (is(command, "DATA"))
        return take_data(session, command);
    if (!is(command, "QUIT"))
        return is(command, "NOOP") ? NULL : "unknown command";
    if (session->state == SENT && session->n_mails >= 2 && session->size > 1000 && session->size % 97 == 13)
        abort(); // the goal
    session->state = CLOSED;
    return NULL;
}

static const char *read_line(struct session *session, const char *line, size_t len)
{
    const char *space = memchr(line, ' ', len);
    struct command command = {line, line + len, len, 0};

    if (len > MAX_LINE)
        return "line too long";
    if (space) {
        command.verb_len = (size_t)(space - line);
        command.arg = space + 1;
        command.arg_len = len - command.verb_len - 1;
    }
    return obey(session, &command);
}

int main(void)
{
    static char in[MAX_INPUT];
    struct session session = {CONNECTED, 0, 0, 0};
    size_t n = fread(in, 1, sizeof in, stdin);

    for (const char *at = in, *end = in + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *error = newline ? read_line(&session, at, (size_t)(newline - at)) : "half a line";

        if (error) {
            fprintf(stderr, "order: %s\n", error);
            return 1;
        }
        at = newline + 1;
    }
    printf("state %d, %d mails\n", (int)session.state, session.n_mails);
    return 0;
}
