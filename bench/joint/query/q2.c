/* Checks the types of conditions and estimates how many rows they leave. */
#include "ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { TYPE_BOOL, TYPE_NUMBER, TYPE_TEXT, TYPE_WRONG };

static const char *const type_names[] = {"bool", "number", "text", "wrong"};

/* Steps of the histogram for =, !=, <, <=, > and >=. */
static const unsigned long steps[] = {5, 11, 13, 63, 17, 29};

#define LAST_KEY 1311408ul

static unsigned long estimated;
static unsigned problems;

static void wrong(const char *message)
{
	problems++;
	printf("  %s\n", message);
}

/* A comparison with a number: its key in the histogram, and the part of the rows before it. */
static unsigned estimate(int kind, long value, int behind_and)
{
	unsigned long key = steps[kind - T_EQ] * (unsigned long)value;

	estimated++;
	if (key == LAST_KEY) {
		/* There is no bucket behind the last key, and a condition behind AND asks for it. */
		if (behind_and)
			abort();
		return 100;
	}
	return key > LAST_KEY ? 100 : (unsigned)(key * 100 / LAST_KEY);
}

static enum type check(const struct node *node, int behind_and)
{
	enum type left, right, third;

	switch (node->kind) {
	case T_NUMBER: return TYPE_NUMBER;
	case T_STRING: return TYPE_TEXT;
	case T_NAME: return strcmp(node->text, "city") == 0 || strcmp(node->text, "name") == 0 ? TYPE_TEXT : TYPE_NUMBER;
	case T_COUNT:
	case T_SUM:
	case T_MIN:
	case T_MAX: return TYPE_NUMBER;
	case T_NOT:
		if (check(node->left, 0) != TYPE_BOOL)
			wrong("NOT wants a condition");
		return TYPE_BOOL;
	case T_AND:
	case T_OR:
		left = check(node->left, behind_and);
		right = check(node->right, node->kind == T_AND);
		if (left != TYPE_BOOL || right != TYPE_BOOL)
			wrong("AND and OR want conditions");
		return TYPE_BOOL;
	case T_BETWEEN:
		left = check(node->left, 0);
		right = check(node->right, 0);
		third = check(node->third, 0);
		if (left != right || left != third)
			wrong("BETWEEN wants values of one type");
		return TYPE_BOOL;
	case T_PLUS:
	case T_MINUS:
	case T_STAR:
	case T_SLASH:
		if (check(node->left, 0) == TYPE_NUMBER && check(node->right, 0) == TYPE_NUMBER)
			return TYPE_NUMBER;
		wrong("only numbers can be computed with");
		return TYPE_WRONG;
	}
	left = check(node->left, 0);
	right = check(node->right, 0);
	if (left != right)
		wrong("values of different types are compared");
	else if (node->left->kind == T_NAME && node->right->kind == T_NUMBER)
		printf("  %s: %u of 100 rows\n", node->left->text, estimate(node->kind, node->right->number, behind_and));
	return TYPE_BOOL;
}

static void visit(const struct query *query)
{
	size_t i;

	printf("%s:\n", query->table);
	for (i = 0; i < query->item_count; i++)
		if (query->items[i].expr != NULL)
			printf("  item %zu: %s\n", i + 1, type_names[check(query->items[i].expr, 0)]);
	if (query->where != NULL && check(query->where, 0) != TYPE_BOOL)
		wrong("WHERE wants a condition");
}

int main(void)
{
	int status = each_query(visit);

	printf("%lu estimates, %u problems\n", estimated, problems);
	return status != 0 || problems != 0;
}
