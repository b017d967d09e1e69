#include "ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int yyparse(void);
int yylex_destroy(void);

struct node *program;
int ast_errors;
const char *variable_names[MAX_VARIABLES];
size_t variable_count;

/* Everything that was allocated, to free it at the end. */
struct chunk {
	struct chunk *next;
	max_align_t data[];
};

static struct chunk *chunks;

static void *allocate(size_t size)
{
	struct chunk *chunk = calloc(1, sizeof *chunk + size);

	if (chunk == NULL) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
	chunk->next = chunks;
	chunks = chunk;
	return chunk->data;
}

void ast_free(void)
{
	while (chunks != NULL) {
		struct chunk *next = chunks->next;

		free(chunks);
		chunks = next;
	}
}

void ast_error(const char *message)
{
	if (ast_errors++ < 10)
		fprintf(stderr, "script: %s\n", message);
}

char *ast_text(const char *from, size_t length)
{
	char *text = allocate(length + 1);

	memcpy(text, from, length);
	return text;
}

long ast_number(const char *digits)
{
	long value = strtol(digits, NULL, 0);

	if (value > MAX_NUMBER) {
		ast_error("a number is too large");
		return MAX_NUMBER;
	}
	return value;
}

struct node *ast_leaf(enum kind kind, long number, const char *text)
{
	struct node *node = allocate(sizeof *node);

	node->kind = kind;
	node->number = number;
	node->text = text;
	node->depth = 1;
	return node;
}

static int deepest(const struct node *list)
{
	int depth = 0;

	for (; list != NULL; list = list->next)
		if (list->depth > depth)
			depth = list->depth;
	return depth;
}

struct node *ast_node(enum kind kind, struct node *first, struct node *second, struct node *third)
{
	struct node *node = ast_leaf(kind, 0, NULL), *children[3] = {first, second, third};
	int i;

	for (i = 0; i < 3; i++) {
		int depth = deepest(children[i]) + 1;

		if (depth > node->depth)
			node->depth = depth;
	}
	if (node->depth > MAX_DEPTH) {
		ast_error("the script is too deep");
		return ast_leaf(K_NUMBER, 0, NULL);
	}
	node->first = first;
	node->second = second;
	node->third = third;
	return node;
}

static long slot_of(const char *name)
{
	size_t i;

	for (i = 0; i < variable_count; i++)
		if (strcmp(variable_names[i], name) == 0)
			return (long)i;
	if (variable_count == MAX_VARIABLES) {
		ast_error("too many variables");
		return 0;
	}
	variable_names[variable_count] = name;
	return (long)variable_count++;
}

struct node *ast_named(enum kind kind, const char *name, struct node *first)
{
	struct node *node = ast_node(kind, first, NULL, NULL);

	node->text = name;
	if (kind != K_CALL)
		node->number = slot_of(name);
	return node;
}

struct node *ast_push(struct node *list, struct node *node)
{
	node->next = list;
	return node;
}

struct node *ast_turn(struct node *list)
{
	struct node *turned = NULL;

	while (list != NULL) {
		struct node *next = list->next;

		list->next = turned;
		turned = list;
		list = next;
	}
	return turned;
}

static long narrow(long value)
{
	return value > MAX_NUMBER ? MAX_NUMBER : value < -MAX_NUMBER ? -MAX_NUMBER : value;
}

long apply(enum kind kind, long left, long right)
{
	switch (kind) {
	case K_ADD: return narrow(left + right);
	case K_SUB: return narrow(left - right);
	case K_MUL: return narrow(left * right);
	case K_DIV: return right == 0 ? 0 : left / right;
	case K_MOD: return right == 0 ? 0 : left % right;
	case K_SHL: return left < 0 || right < 0 || right > 30 ? 0 : narrow(left << right);
	case K_SHR: return left < 0 || right < 0 || right > 62 ? 0 : left >> right;
	case K_AND: return left && right;
	case K_OR: return left || right;
	case K_EQ: return left == right;
	case K_NE: return left != right;
	case K_LT: return left < right;
	case K_LE: return left <= right;
	case K_GT: return left > right;
	case K_GE: return left >= right;
	default: return 0;
	}
}

int read_script(void)
{
	int status = yyparse();

	yylex_destroy();
	return status != 0 || ast_errors != 0;
}
