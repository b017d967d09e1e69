/* Plans the token buckets of limit rules. Every third rule borrows from the bucket of the first of its group. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>

#define GROUP 3
#define RESERVE 17

struct bucket {
	unsigned long long per_hour;
	unsigned long long period; /* ms between two tokens */
	int shared;
};

static struct bucket buckets[MAX_RULES];

static unsigned long long per_hour(const struct rule *rule)
{
	static const unsigned scale[] = {3600, 60, 1};

	return (unsigned long long)rule->limit * scale[rule->unit];
}

/* A borrower gets what is beyond twice the lender's rate and the reserve. */
static void borrow(struct bucket *borrower, const struct bucket *lender)
{
	unsigned long long floor = 2 * lender->per_hour + RESERVE;

	if (borrower->per_hour < floor)
		return;
	assert(borrower->per_hour - floor != 0);
	borrower->period = 3600000 / (borrower->per_hour - floor);
	borrower->shared = 1;
}

static void plan(size_t i)
{
	const struct rule *rule = &policy.rules[i];
	const struct rule *first = &policy.rules[i - i % GROUP];
	struct bucket *bucket = &buckets[i];

	if (rule->action != ACT_LIMIT)
		return;
	bucket->per_hour = per_hour(rule);
	if (bucket->per_hour == 0) {
		printf("rule %zu never lets anything through\n", i + 1);
		return;
	}
	bucket->period = 3600000 / bucket->per_hour;
	if (i % GROUP == GROUP - 1 && rule->protocol == PROTO_TCP && first->action == ACT_LIMIT && first->limit >= 100)
		borrow(bucket, &buckets[i - i % GROUP]);
}

int main(void)
{
	size_t i;

	if (read_policy() != 0) {
		ast_free();
		return 1;
	}
	for (i = 0; i < policy.rule_count; i++)
		plan(i);
	for (i = 0; i < policy.rule_count; i++)
		if (buckets[i].per_hour != 0)
			printf("rule %zu: %llu per hour, one in %llu ms%s\n", i + 1, buckets[i].per_hour,
			       buckets[i].period, buckets[i].shared ? ", shared" : "");
	printf("%zu rules, else %s\n", policy.rule_count, action_names[policy.fallback]);
	ast_free();
	return 0;
}
