/* Merges rules for neighbouring ports, and divides what comes out into blocks. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 4099u

struct span {
	const struct rule *rule;
	unsigned low, high;
	unsigned parts;
};

static struct span spans[MAX_RULES];
static size_t span_count;

static int same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static int alike(const struct rule *a, const struct rule *b)
{
	return a->action == b->action && a->direction == b->direction && a->protocol == b->protocol &&
	       a->limit == b->limit && a->unit == b->unit && same_text(a->from, b->from) && same_text(a->to, b->to) &&
	       a->mark == NULL && b->mark == NULL;
}

static void add(const struct rule *rule)
{
	struct span *last = span_count == 0 ? NULL : &spans[span_count - 1];

	if (!rule->has_port)
		return;
	if (last != NULL && alike(last->rule, rule) && last->high + 1 == rule->low) {
		last->high = rule->high;
		last->parts++;
		return;
	}
	spans[span_count++] = (struct span){rule, rule->low, rule->high, 1};
}

/* The last block of a span is shorter than the others, and a merged span has one. */
static void divide(const struct span *span)
{
	unsigned width = span->high - span->low + 1;
	unsigned rest = width % BLOCK;

	printf("%s %s %s %u-%u: %u blocks", action_names[span->rule->action],
	       direction_names[span->rule->direction], protocol_names[span->rule->protocol], span->low, span->high,
	       width / BLOCK);
	if (span->parts > 1)
		assert(rest != 0);
	if (rest != 0)
		printf(" and %u ports", rest);
	printf("\n");
}

int main(void)
{
	size_t i;

	if (read_policy() != 0) {
		ast_free();
		return 1;
	}
	for (i = 0; i < policy.rule_count; i++)
		add(&policy.rules[i]);
	for (i = 0; i < span_count; i++)
		divide(&spans[i]);
	printf("%zu rules, %zu spans\n", policy.rule_count, span_count);
	ast_free();
	return 0;
}
