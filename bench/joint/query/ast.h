/* Tokens, scanner and tree of the query language. */
#ifndef AST_H
#define AST_H

#include <stddef.h>

/* The numbers are those in query.y. */
enum token {
	T_END = 0,
	T_SELECT = 258, T_FROM, T_WHERE, T_GROUP, T_BY, T_ORDER, T_ASC, T_DESC, T_LIMIT, T_OFFSET, T_AS, T_AND, T_OR,
	T_NOT, T_BETWEEN, T_COUNT, T_SUM, T_MIN, T_MAX, T_NAME, T_NUMBER, T_STRING, T_EQ, T_NE, T_LT, T_LE, T_GT, T_GE,
	T_PLUS, T_MINUS, T_STAR, T_SLASH, T_OPEN, T_CLOSE, T_COMMA, T_SEMICOLON, T_INVALID
};

#define MAX_INPUT 65536
#define MAX_TEXT 63
#define MAX_ITEMS 16
#define MAX_NODES 4096
#define MAX_DEPTH 100

struct scanner {
	const char *input;
	size_t length, at;
	long number;             /* of T_NUMBER */
	char text[MAX_TEXT + 1]; /* of T_NAME and T_STRING */
};

int next_token(struct scanner *scanner);

struct node {
	/* The operator or the kind of leaf: T_NUMBER, T_NAME, T_STRING, T_COUNT and so on. */
	int kind;
	long number;
	char text[MAX_TEXT + 1];
	struct node *left, *right, *third;
};

struct item {
	struct node *expr; /* NULL is for * */
	char name[MAX_TEXT + 1];
};

struct query {
	struct item items[MAX_ITEMS];
	size_t item_count;
	char table[MAX_TEXT + 1];
	struct node *where;
	char group[MAX_TEXT + 1], order[MAX_TEXT + 1];
	int descending;
	long limit, offset; /* -1: none */
};

struct parser {
	struct scanner scanner;
	int token, depth;
	const char *error;
	struct node nodes[MAX_NODES];
	size_t node_count;
};

/* Reads standard input into a buffer. */
void open_input(struct parser *parser);

/* Reads one statement. 1: there is one, 0: there is no other, -1: an error. */
int parse_query(struct parser *parser, struct query *query);

/* Goes through all statements of standard input. What comes back is main's. */
int each_query(void (*visit)(const struct query *query));

#endif
