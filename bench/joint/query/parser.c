#include "ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char input[MAX_INPUT];

void open_input(struct parser *parser)
{
	memset(parser, 0, sizeof *parser);
	parser->scanner.input = input;
	parser->scanner.length = fread(input, 1, sizeof input, stdin);
	parser->token = next_token(&parser->scanner);
}

static void fail(struct parser *parser, const char *message)
{
	if (parser->error == NULL)
		parser->error = message;
	parser->token = T_INVALID;
}

static void advance(struct parser *parser)
{
	if (parser->error == NULL)
		parser->token = next_token(&parser->scanner);
}

static int accept(struct parser *parser, int token)
{
	if (parser->token != token)
		return 0;
	advance(parser);
	return 1;
}

static void expect(struct parser *parser, int token, const char *message)
{
	if (!accept(parser, token))
		fail(parser, message);
}

static struct node *make(struct parser *parser, int kind, struct node *left, struct node *right)
{
	struct node *node;

	/* The last node is there for what comes after an error. */
	if (parser->node_count == MAX_NODES - 1)
		fail(parser, "too many expressions");
	else
		parser->node_count++;
	node = &parser->nodes[parser->node_count - 1];
	memset(node, 0, sizeof *node);
	node->kind = kind;
	node->left = left;
	node->right = right;
	return node;
}

static void take_name(struct parser *parser, char *to)
{
	memcpy(to, parser->scanner.text, MAX_TEXT + 1);
	expect(parser, T_NAME, "a name is missing");
}

static struct node *condition(struct parser *parser);

static struct node *primary(struct parser *parser)
{
	struct node *node;
	int kind = parser->token;

	switch (kind) {
	case T_NUMBER:
	case T_NAME:
	case T_STRING:
		node = make(parser, kind, NULL, NULL);
		node->number = parser->scanner.number;
		if (kind != T_NUMBER)
			memcpy(node->text, parser->scanner.text, MAX_TEXT + 1);
		advance(parser);
		return node;
	case T_COUNT:
	case T_SUM:
	case T_MIN:
	case T_MAX:
		node = make(parser, kind, NULL, NULL);
		advance(parser);
		expect(parser, T_OPEN, "( is missing");
		take_name(parser, node->text);
		expect(parser, T_CLOSE, ") is missing");
		return node;
	case T_OPEN:
		advance(parser);
		node = condition(parser);
		expect(parser, T_CLOSE, ") is missing");
		return node;
	}
	fail(parser, "an expression is missing");
	return make(parser, T_NUMBER, NULL, NULL);
}

static struct node *product(struct parser *parser)
{
	struct node *left = primary(parser);
	int links = 0;

	while (parser->token == T_STAR || parser->token == T_SLASH) {
		int kind = parser->token;

		if (++links > MAX_DEPTH)
			fail(parser, "too many operators in a row");
		advance(parser);
		left = make(parser, kind, left, primary(parser));
	}
	return left;
}

static struct node *sum(struct parser *parser)
{
	struct node *left = product(parser);
	int links = 0;

	while (parser->token == T_PLUS || parser->token == T_MINUS) {
		int kind = parser->token;

		if (++links > MAX_DEPTH)
			fail(parser, "too many operators in a row");
		advance(parser);
		left = make(parser, kind, left, product(parser));
	}
	return left;
}

static struct node *comparison(struct parser *parser)
{
	struct node *left = sum(parser);
	int kind = parser->token;

	if (kind == T_BETWEEN) {
		advance(parser);
		left = make(parser, kind, left, sum(parser));
		expect(parser, T_AND, "AND is missing");
		left->third = sum(parser);
	} else if (kind >= T_EQ && kind <= T_GE) {
		advance(parser);
		left = make(parser, kind, left, sum(parser));
	}
	return left;
}

static struct node *negation(struct parser *parser)
{
	int negated = accept(parser, T_NOT);
	struct node *node = comparison(parser);

	return negated ? make(parser, T_NOT, node, NULL) : node;
}

static struct node *conjunction(struct parser *parser)
{
	struct node *left = negation(parser);
	int links = 0;

	while (parser->token == T_AND) {
		if (++links > MAX_DEPTH)
			fail(parser, "too many operators in a row");
		advance(parser);
		left = make(parser, T_AND, left, negation(parser));
	}
	return left;
}

static struct node *condition(struct parser *parser)
{
	struct node *left;
	int links = 0;

	if (++parser->depth > MAX_DEPTH) {
		fail(parser, "an expression is too deep");
		parser->depth--;
		return make(parser, T_NUMBER, NULL, NULL);
	}
	left = conjunction(parser);
	while (parser->token == T_OR) {
		if (++links > MAX_DEPTH)
			fail(parser, "too many operators in a row");
		advance(parser);
		left = make(parser, T_OR, left, conjunction(parser));
	}
	parser->depth--;
	return left;
}

static void item(struct parser *parser, struct query *query)
{
	struct item *item = &query->items[query->item_count];

	if (query->item_count == MAX_ITEMS) {
		fail(parser, "too many items");
		return;
	}
	query->item_count++;
	if (accept(parser, T_STAR))
		return;
	item->expr = sum(parser);
	if (item->expr->kind == T_NAME)
		memcpy(item->name, item->expr->text, sizeof item->name);
	if (accept(parser, T_AS))
		take_name(parser, item->name);
}

static long take_number(struct parser *parser)
{
	long value = parser->scanner.number;

	expect(parser, T_NUMBER, "a number is missing");
	return value;
}

static void statement(struct parser *parser, struct query *query)
{
	expect(parser, T_SELECT, "SELECT is missing");
	do
		item(parser, query);
	while (accept(parser, T_COMMA));
	expect(parser, T_FROM, "FROM is missing");
	take_name(parser, query->table);
	if (accept(parser, T_WHERE))
		query->where = condition(parser);
	if (accept(parser, T_GROUP)) {
		expect(parser, T_BY, "BY is missing");
		take_name(parser, query->group);
	}
	if (accept(parser, T_ORDER)) {
		expect(parser, T_BY, "BY is missing");
		take_name(parser, query->order);
		if (accept(parser, T_DESC))
			query->descending = 1;
		else
			accept(parser, T_ASC);
	}
	if (accept(parser, T_LIMIT)) {
		query->limit = take_number(parser);
		if (accept(parser, T_OFFSET))
			query->offset = take_number(parser);
	}
	expect(parser, T_SEMICOLON, "; is missing");
}

int parse_query(struct parser *parser, struct query *query)
{
	memset(query, 0, sizeof *query);
	query->limit = query->offset = -1;
	parser->node_count = 0;
	if (parser->token == T_END)
		return 0;
	statement(parser, query);
	return parser->error == NULL ? 1 : -1;
}

int each_query(void (*visit)(const struct query *query))
{
	static struct parser parser;
	static struct query query;
	int status, count = 0;

	open_input(&parser);
	while ((status = parse_query(&parser, &query)) == 1) {
		visit(&query);
		count++;
	}
	if (status < 0)
		fprintf(stderr, "statement %d: %s\n", count + 1, parser.error);
	else if (count == 0)
		fprintf(stderr, "there is no statement\n");
	return status < 0 || count == 0;
}
