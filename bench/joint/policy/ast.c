#include "ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int yyparse(void);
int yylex_destroy(void);

struct policy policy;
int ast_errors;

const char *const action_names[] = {"allow", "deny", "reject", "limit"};
const char *const direction_names[] = {"in", "out", "forward"};
const char *const protocol_names[] = {"tcp", "udp", "icmp", "any"};

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
		fprintf(stderr, "policy: %s\n", message);
}

unsigned ast_number(const char *digits)
{
	unsigned value = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++) {
		value = value * 10 + (unsigned)(*digits - '0');
		if (value > MAX_NUMBER / 10 && digits[1] != '\0') {
			ast_error("a number is too large");
			return MAX_NUMBER;
		}
	}
	return value;
}

char *ast_text(const char *from, size_t length)
{
	char *text = allocate(length + 1);

	memcpy(text, from, length);
	return text;
}

struct expr *ast_leaf(enum expr_kind kind, unsigned number, const char *name)
{
	struct expr *expr = allocate(sizeof *expr);

	expr->kind = kind;
	expr->number = number;
	expr->name = name;
	expr->depth = 1;
	return expr;
}

struct expr *ast_expr(enum expr_kind kind, struct expr *left, struct expr *right)
{
	struct expr *expr;
	int depth = left->depth > right->depth ? left->depth : right->depth;

	if (depth >= MAX_DEPTH) {
		ast_error("an expression is too deep");
		return left;
	}
	expr = ast_leaf(kind, 0, NULL);
	expr->left = left;
	expr->right = right;
	expr->depth = depth + 1;
	return expr;
}

struct address *ast_address(const char *text, unsigned prefix)
{
	struct address *address = allocate(sizeof *address);

	if (prefix > 32)
		ast_error("a prefix has at most 32 bits");
	address->text = text;
	address->prefix = prefix;
	return address;
}

struct match *ast_match(int kind, const char *text, unsigned low, unsigned high, struct expr *mark)
{
	struct match *match = allocate(sizeof *match);

	match->kind = kind;
	match->text = text;
	match->low = low;
	match->high = high;
	match->mark = mark;
	return match;
}

void ast_define(const char *name, struct expr *value, struct address *addresses)
{
	struct definition *definition;

	if (policy.definition_count == MAX_DEFINITIONS) {
		ast_error("too many definitions");
		return;
	}
	definition = &policy.definitions[policy.definition_count++];
	definition->name = name;
	definition->value = value;
	definition->addresses = addresses;
}

void ast_rule(struct rule rule, struct match *matches)
{
	for (; matches != NULL; matches = matches->next) {
		switch (matches->kind) {
		case M_FROM: rule.from = matches->text; break;
		case M_TO: rule.to = matches->text; break;
		case M_LOG: rule.log = matches->text; break;
		case M_TAG: rule.tag = matches->text; break;
		case M_MARK: rule.mark = matches->mark; break;
		case M_PORT:
			if (matches->low > matches->high || matches->high > 65535)
				ast_error("this is no range of ports");
			else if (rule.protocol == PROTO_ICMP)
				ast_error("icmp has no ports");
			rule.has_port = 1;
			rule.low = matches->low;
			rule.high = matches->high;
			break;
		}
	}
	if (policy.rule_count == MAX_RULES)
		ast_error("too many rules");
	else
		policy.rules[policy.rule_count++] = rule;
}

int read_policy(void)
{
	int status = yyparse();

	yylex_destroy();
	return status != 0 || ast_errors != 0;
}
