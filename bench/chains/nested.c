// Reads nested lists of numbers and names, and the goal wants depth 3, 4 lists, 5 leaves and the sum 1000.
//~ STDIN: "(a 1 (2))\n"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 4096, MAX_DEPTH = 8, MAX_LEAVES = 64, MAX_NAME = 16, MAX_NUMBER = 99999 };

struct parser {
    const char *at, *end;
    const char *error;
    int depth_max, n_lists, n_empty, n_numbers, n_names;
    long sum;
};

static int fail(struct parser *parser, const char *why)
{
    parser->error = why;
    return 0;
}

static int peek(const struct parser *parser)
{
    return parser->at < parser->end ? (unsigned char)*parser->at : -1;
}

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '?';
}

/* Skips spaces, and comments from ; to the end of the line. */
static void skip_spaces(struct parser *parser)
{
    for (;;) {
        int c = peek(parser);

        if (c == ' ' || c == '\t' || c == '\n') {
            parser->at++;
        } else if (c == ';') {
            while (peek(parser) >= 0 && peek(parser) != '\n')
                parser->at++;
        } else {
            return;
        }
    }
}

static int parse_number(struct parser *parser)
{
    long value = 0;

    if (peek(parser) == '0' && parser->end - parser->at > 1 && is_digit(parser->at[1]))
        return fail(parser, "a zero before a number");
    while (is_digit(peek(parser))) {
        value = value * 10 + (*parser->at++ - '0');
        if (value > MAX_NUMBER)
            return fail(parser, "number too large");
    }
    if (is_letter(peek(parser)))
        return fail(parser, "letter after a number");
    parser->n_numbers++;
    parser->sum += value;
    return 1;
}

static int parse_name(struct parser *parser)
{
    const char *start = parser->at;

    while (is_letter(peek(parser)) || is_digit(peek(parser)))
        parser->at++;
    if (parser->at - start > MAX_NAME)
        return fail(parser, "name too long");
    parser->n_names++;
    return 1;
}

static int parse_leaf(struct parser *parser)
{
    if (parser->n_numbers + parser->n_names == MAX_LEAVES)
        return fail(parser, "too many leaves");
    if (is_digit(peek(parser)))
        return parse_number(parser);
    if (is_letter(peek(parser)))
        return parse_name(parser);
    return fail(parser, "unknown character");
}

/* Parses a list, whose parenthesis is the next character. */
static int parse_list(struct parser *parser, int depth)
{
    int n = 0;

    if (depth > MAX_DEPTH)
        return fail(parser, "lists too deep");
    if (depth > parser->depth_max)
        parser->depth_max = depth;
    parser->n_lists++;
    parser->at++;
    for (;; n++) {
        skip_spaces(parser);
        if (peek(parser) < 0)
            return fail(parser, "no closing parenthesis");
        if (peek(parser) == ')')
            break;
        if (!(peek(parser) == '(' ? parse_list(parser, depth + 1) : parse_leaf(parser)))
            return 0;
    }
    parser->at++;
    parser->n_empty += n == 0;
    return 1;
}

static int parse(struct parser *parser)
{
    skip_spaces(parser);
    if (peek(parser) != '(')
        return fail(parser, "no list");
    if (!parse_list(parser, 1))
        return 0;
    skip_spaces(parser);
    return peek(parser) < 0 ? 1 : fail(parser, "something after the list");
}

int main(void)
{
    static char in[MAX_INPUT];
    size_t n = fread(in, 1, sizeof in, stdin);
    struct parser parser = {0};

    parser.at = in;
    parser.end = in + n;
    if (!parse(&parser)) {
        fprintf(stderr, "nested: byte %d: %s\n", (int)(parser.at - in), parser.error);
        return 1;
    }
    if (parser.depth_max == 3 && parser.n_lists == 4 && parser.n_numbers + parser.n_names == 5 && parser.sum == 1000)
        abort(); // the goal
    printf("%d lists, %d empty, depth %d, sum %ld\n", parser.n_lists, parser.n_empty, parser.depth_max, parser.sum);
    return 0;
}
