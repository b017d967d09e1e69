/* Runs queries on a table of its own. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ROWS 8
#define RING 50021

static const char *const columns[] = {"id", "price", "stock"};

static const long rows[ROWS][3] = {
	{1, 250, 12}, {2, 90, 40}, {3, 1200, 3}, {4, 90, 0}, {5, 310, 75}, {6, 45, 12}, {7, 999, 40}, {8, 250, 8},
};

static const char *const cities[ROWS] = {"Bonn", "Rome", "Oslo", "Rome", "Bonn", "Lima", "Oslo", "Oslo"};

static int column_of(const char *name)
{
	int i;

	for (i = 0; i < 3; i++)
		if (strcmp(columns[i], name) == 0)
			return i;
	return -1;
}

/* Texts are compared as numbers: a checksum of their characters. */
static long text_value(const char *text)
{
	long value = 0;

	while (*text != '\0')
		value = value * 2 % 65521 + (unsigned char)*text++;
	return value;
}

static long clamp(long value)
{
	return value > 1000000000 ? 1000000000 : value < -1000000000 ? -1000000000 : value;
}

static long value_of(const char *name, int row)
{
	int column = column_of(name);

	return column >= 0 ? rows[row][column] : strcmp(name, "city") == 0 ? text_value(cities[row]) : 0;
}

static long aggregate(const struct node *node)
{
	long result = node->kind == T_COUNT ? ROWS : node->kind == T_SUM ? 0 : value_of(node->text, 0);
	int row;

	for (row = 0; row < ROWS && node->kind != T_COUNT; row++) {
		long value = value_of(node->text, row);

		if (node->kind == T_SUM)
			result += value;
		else if (node->kind == T_MIN ? value < result : value > result)
			result = value;
	}
	return result;
}

static long evaluate(const struct node *node, int row)
{
	long left, right;

	switch (node->kind) {
	case T_NUMBER: return node->number;
	case T_STRING: return text_value(node->text);
	case T_NAME: return value_of(node->text, row);
	case T_COUNT:
	case T_SUM:
	case T_MIN:
	case T_MAX: return aggregate(node);
	case T_NOT: return !evaluate(node->left, row);
	case T_AND: return evaluate(node->left, row) && evaluate(node->right, row);
	case T_OR: return evaluate(node->left, row) || evaluate(node->right, row);
	}
	left = evaluate(node->left, row);
	right = evaluate(node->right, row);
	switch (node->kind) {
	case T_EQ: return left == right;
	case T_NE: return left != right;
	case T_LT: return left < right;
	case T_LE: return left <= right;
	case T_GT: return left > right;
	case T_GE: return left >= right;
	case T_PLUS: return clamp(left + right);
	case T_MINUS: return clamp(left - right);
	case T_STAR: return clamp(left * right);
	case T_SLASH: return right == 0 ? 0 : left / right;
	case T_BETWEEN: return left >= right && left <= evaluate(node->third, row);
	}
	return 0;
}

/* Groups go through a ring. The first one is at the offset, the last one before the end. */
static int window(const struct query *query, int count, int *from)
{
	long end;

	*from = query->offset > 0 ? (query->offset < count ? (int)query->offset : count) : 0;
	if (query->limit < 0)
		return count;
	if (query->group[0] != '\0' && query->offset > 0 && query->offset < RING && query->limit >= 1000 && query->limit < RING) {
		end = (query->offset + query->limit) % RING;
		assert(end != 0);
		return end > count ? count : (int)end;
	}
	end = *from + query->limit;
	return end > count ? count : (int)end;
}

static void run(const struct query *query)
{
	int order[ROWS], count = 0, row, i, from, to;
	size_t k;

	for (row = 0; row < ROWS; row++) {
		if (query->where != NULL && !evaluate(query->where, row))
			continue;
		for (i = 0; i < count; i++)
			if (query->group[0] != '\0' && value_of(query->group, order[i]) == value_of(query->group, row))
				break;
		if (i < count)
			continue;
		for (i = count; i > 0 && query->order[0] != '\0'; i--) {
			long before = value_of(query->order, order[i - 1]), here = value_of(query->order, row);

			if (query->descending ? before >= here : before <= here)
				break;
			order[i] = order[i - 1];
		}
		order[query->order[0] != '\0' ? i : count] = row;
		count++;
	}
	to = window(query, count, &from);
	for (i = from; i < to; i++) {
		for (k = 0; k < query->item_count; k++)
			if (query->items[k].expr != NULL)
				printf("%ld ", evaluate(query->items[k].expr, order[i]));
			else
				printf("%ld %ld %ld %s ", rows[order[i]][0], rows[order[i]][1], rows[order[i]][2], cities[order[i]]);
		printf("\n");
	}
	printf("%d rows of %s\n", to > from ? to - from : 0, query->table);
}

int main(void)
{
	return each_query(run);
}
