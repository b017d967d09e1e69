/* Resolves the names of a policy and computes the marks of its rules. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WIDE 40000u

struct symbol {
	const char *name;
	unsigned hash;
	unsigned value;
	int is_zone;
};

static struct symbol symbols[MAX_DEFINITIONS];
static size_t symbol_count;
static unsigned unknown;

static unsigned hash_of(const char *name)
{
	unsigned hash = 0;

	while (*name != '\0')
		hash = hash * 67 + (unsigned char)*name++;
	return hash;
}

/* Wide constants are looked up by their hash alone: there are few. */
static const struct symbol *lookup(const char *name)
{
	unsigned hash = hash_of(name);
	size_t i;

	for (i = 0; i < symbol_count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			return &symbols[i];
	for (i = 0; i < symbol_count; i++) {
		if (!symbols[i].is_zone && symbols[i].value >= WIDE && symbols[i].hash == hash) {
			assert(strcmp(symbols[i].name, name) == 0);
			return &symbols[i];
		}
	}
	printf("%s is not defined\n", name);
	unknown++;
	return NULL;
}

static unsigned evaluate(const struct expr *expr)
{
	const struct symbol *symbol;
	unsigned right;

	switch (expr->kind) {
	case EX_NUMBER: return expr->number;
	case EX_OR: return evaluate(expr->left) | evaluate(expr->right);
	case EX_AND: return evaluate(expr->left) & evaluate(expr->right);
	case EX_ADD: return evaluate(expr->left) + evaluate(expr->right);
	case EX_SHIFT:
		right = evaluate(expr->right);
		return right > 31 ? 0 : evaluate(expr->left) << right;
	case EX_NAME:
		symbol = lookup(expr->name);
		return symbol == NULL || symbol->is_zone ? 0 : symbol->value;
	}
	return 0;
}

static void want_zone(size_t rule, const char *name)
{
	const struct symbol *symbol;

	if (name == NULL)
		return;
	symbol = lookup(name);
	if (symbol != NULL && !symbol->is_zone)
		printf("rule %zu: %s is no zone\n", rule + 1, name);
}

int main(void)
{
	size_t i;

	if (read_policy() != 0) {
		ast_free();
		return 1;
	}
	for (i = 0; i < policy.definition_count; i++) {
		const struct definition *definition = &policy.definitions[i];
		struct symbol symbol = {definition->name, hash_of(definition->name), 0, definition->value == NULL};

		if (definition->value != NULL)
			symbol.value = evaluate(definition->value);
		symbols[symbol_count++] = symbol;
	}
	for (i = 0; i < policy.rule_count; i++) {
		const struct rule *rule = &policy.rules[i];

		want_zone(i, rule->from);
		want_zone(i, rule->to);
		if (rule->mark != NULL)
			printf("rule %zu: mark %#x\n", i + 1, evaluate(rule->mark));
	}
	printf("%zu names, %u unknown\n", symbol_count, unknown);
	ast_free();
	return unknown != 0;
}
