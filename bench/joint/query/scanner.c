#include "ast.h"

#include <string.h>

static const struct {
	const char *word;
	int token;
} keywords[] = {
	{"SELECT", T_SELECT}, {"FROM", T_FROM}, {"WHERE", T_WHERE}, {"GROUP", T_GROUP}, {"BY", T_BY},
	{"ORDER", T_ORDER}, {"ASC", T_ASC}, {"DESC", T_DESC}, {"LIMIT", T_LIMIT}, {"OFFSET", T_OFFSET},
	{"AS", T_AS}, {"AND", T_AND}, {"OR", T_OR}, {"NOT", T_NOT}, {"BETWEEN", T_BETWEEN},
	{"COUNT", T_COUNT}, {"SUM", T_SUM}, {"MIN", T_MIN}, {"MAX", T_MAX},
};

static int peek(const struct scanner *scanner)
{
	return scanner->at < scanner->length ? (unsigned char)scanner->input[scanner->at] : -1;
}

static int is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int is_lower(int c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

static int is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static void keep(struct scanner *scanner, size_t from, size_t to)
{
	size_t length = to - from > MAX_TEXT ? MAX_TEXT : to - from;

	memcpy(scanner->text, scanner->input + from, length);
	scanner->text[length] = '\0';
}

static int number(struct scanner *scanner)
{
	long value = 0;

	for (; is_digit(peek(scanner)); scanner->at++)
		if (value < 100000000)
			value = value * 10 + (peek(scanner) - '0');
	scanner->number = value;
	return T_NUMBER;
}

static int name(struct scanner *scanner)
{
	size_t from = scanner->at;

	while (is_lower(peek(scanner)) || is_digit(peek(scanner)))
		scanner->at++;
	if (scanner->at - from > MAX_TEXT)
		return T_INVALID;
	keep(scanner, from, scanner->at);
	return T_NAME;
}

static int keyword(struct scanner *scanner)
{
	size_t from = scanner->at, i;

	while (is_upper(peek(scanner)))
		scanner->at++;
	keep(scanner, from, scanner->at);
	for (i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strcmp(scanner->text, keywords[i].word) == 0)
			return keywords[i].token;
	return T_INVALID;
}

static int string(struct scanner *scanner)
{
	size_t from = ++scanner->at;

	while (peek(scanner) != '\'' && peek(scanner) != '\n' && peek(scanner) != -1)
		scanner->at++;
	keep(scanner, from, scanner->at);
	if (peek(scanner) != '\'')
		return T_INVALID;
	scanner->at++;
	return T_STRING;
}

/* The token of one or two characters: the second one, if it is there, makes another one of it. */
static int either(struct scanner *scanner, int second, int two, int one)
{
	if (peek(scanner) != second)
		return one;
	scanner->at++;
	return two;
}

int next_token(struct scanner *scanner)
{
	int c = peek(scanner);

	while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
		scanner->at++;
		c = peek(scanner);
	}
	if (c == -1)
		return T_END;
	if (is_digit(c))
		return number(scanner);
	if (is_lower(c))
		return name(scanner);
	if (is_upper(c))
		return keyword(scanner);
	if (c == '\'')
		return string(scanner);
	scanner->at++;
	switch (c) {
	case '=': return T_EQ;
	case '!': return either(scanner, '=', T_NE, T_INVALID);
	case '<': return either(scanner, '=', T_LE, T_LT);
	case '>': return either(scanner, '=', T_GE, T_GT);
	case '+': return T_PLUS;
	case '-': return T_MINUS;
	case '*': return T_STAR;
	case '/': return T_SLASH;
	case '(': return T_OPEN;
	case ')': return T_CLOSE;
	case ',': return T_COMMA;
	case ';': return T_SEMICOLON;
	}
	return T_INVALID;
}
