/* Plans queries: which columns are read, how rows are sorted, how much memory the sort has. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum method { KEEP, SORT, HEAP, SPILL };

/* A sort by one of the first items keeps so many rows in memory, and some room behind them. */
static const struct {
	long rows;
	long room;
} memory[] = {{1000, 24}, {31337, 0}, {4000, 96}, {8000, 192}};

static int item_of(const struct query *query, const char *name)
{
	size_t i;

	for (i = 0; i < query->item_count; i++)
		if (query->items[i].expr != NULL && strcmp(query->items[i].name, name) == 0)
			return (int)i;
	return -1;
}

static size_t count_columns(const struct node *node)
{
	if (node == NULL)
		return 0;
	return (node->kind == T_NAME) + count_columns(node->left) + count_columns(node->right) + count_columns(node->third);
}

static enum method choose(const struct query *query)
{
	int item;
	size_t class;

	if (query->order[0] == '\0')
		return KEEP;
	item = item_of(query, query->order);
	if (item < 0 || query->limit < 0)
		return SORT;
	class = (size_t)item % (sizeof memory / sizeof *memory);
	if (query->limit > memory[class].rows)
		return SPILL;
	if (query->limit == memory[class].rows) {
		/* One more row comes in before the last one goes. */
		assert(memory[class].room > 0);
	}
	return HEAP;
}

static void plan(const struct query *query)
{
	static const char *const names[] = {"as they come", "sorted", "by a heap", "sorted in files"};
	size_t columns = count_columns(query->where), i;

	for (i = 0; i < query->item_count; i++)
		columns += count_columns(query->items[i].expr);
	printf("scan %s: %zu columns, rows %s%s\n", query->table, columns, names[choose(query)],
	       query->descending ? ", the last first" : "");
}

int main(void)
{
	return each_query(plan);
}
