/* Compiles a policy to a table of entries for a classifier, and lists the table. */
#include "ast.h"

#include <stdio.h>
#include <stdlib.h>

enum { OP_PASS, OP_DROP, OP_RESET, OP_METER, OP_HELPER };

struct entry {
	unsigned char op, hook;
	unsigned short low, high;
};

static struct entry table[MAX_RULES + 1];
static size_t used;

/* Ports whose connections a helper follows, by protocol and direction. 0: none. */
static const unsigned helper_ports[4][3] = {
	[PROTO_TCP] = {0, 0, 0},
	[PROTO_UDP] = {0, 0, 48213},
	[PROTO_ICMP] = {0, 0, 0},
	[PROTO_ANY] = {0, 0, 0},
};

static unsigned helper_of(const struct rule *rule)
{
	unsigned port = helper_ports[rule->protocol][rule->direction];

	return port == 0 ? 65536 : port;
}

static unsigned char op_of(const struct rule *rule)
{
	switch (rule->action) {
	case ACT_ALLOW: return OP_PASS;
	case ACT_DENY: return OP_DROP;
	case ACT_REJECT: return OP_RESET;
	case ACT_LIMIT: return OP_METER;
	}
	return OP_DROP;
}

static void compile(const struct rule *rule)
{
	struct entry *entry = &table[used++];

	entry->op = op_of(rule);
	entry->hook = (unsigned char)(rule->direction * 4 + rule->protocol);
	entry->low = 0;
	entry->high = 65535;
	if (!rule->has_port)
		return;
	entry->low = (unsigned short)rule->low;
	entry->high = (unsigned short)rule->high;
	if (rule->low == helper_of(rule)) {
		/* A helper can't follow what is refused: it has no connection. */
		if (entry->op == OP_RESET)
			abort();
		entry->op = OP_HELPER;
	}
}

int main(void)
{
	static const char *const ops[] = {"pass", "drop", "reset", "meter", "helper"};
	size_t i;

	if (read_policy() != 0) {
		ast_free();
		return 1;
	}
	for (i = 0; i < policy.rule_count; i++)
		compile(&policy.rules[i]);
	table[used++] = (struct entry){policy.fallback == ACT_ALLOW ? OP_PASS : OP_DROP, 15, 0, 65535};
	for (i = 0; i < used; i++)
		printf("%3zu  hook %2d  %5d..%-5d  %s\n", i, table[i].hook, table[i].low, table[i].high, ops[table[i].op]);
	ast_free();
	return 0;
}
