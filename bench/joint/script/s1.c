/* Runs a script, with a limit on its steps. Conditions in loops have a profile. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FUEL 20000
#define HOT 3
#define MAX_OUTPUT 200

/* Where a hot condition's values are this far apart, the profile begins a new page. */
#define PAGE 4711

static long variables[MAX_VARIABLES];
static long fuel = FUEL;
static int loops, returned, output;
static long pages, runs;

static long evaluate(const struct node *node);

static long call(const struct node *node)
{
	const struct node *argument;
	long result = 0, count = 0;

	for (argument = node->first; argument != NULL && fuel > 0; argument = argument->next) {
		long value = evaluate(argument);

		if (count++ == 0)
			result = value;
		else if (strcmp(node->text, "max") == 0 ? value > result : strcmp(node->text, "min") == 0 && value < result)
			result = value;
	}
	return result;
}

static long evaluate(const struct node *node)
{
	if (--fuel <= 0)
		return 0;
	switch (node->kind) {
	case K_NUMBER: return node->number;
	case K_STRING: return (long)strlen(node->text);
	case K_NAME: return variables[node->number];
	case K_CALL: return call(node);
	case K_NEGATE: return -evaluate(node->first);
	case K_NOT: return !evaluate(node->first);
	default: break;
	}
	if (is_binary(node->kind)) {
		long left = evaluate(node->first);

		return apply(node->kind, left, evaluate(node->second));
	}
	return 0;
}

/* Counts how often a condition in a loop holds for a constant, and how far from it. */
static void profile(const struct node *condition)
{
	long distance;

	if (condition->kind != K_GT || condition->first->kind != K_NAME || condition->second->kind != K_NUMBER)
		return;
	if (++runs < HOT || condition->second->number < 1000)
		return;
	distance = variables[condition->first->number] - condition->second->number;
	if (distance <= 0)
		return;
	/* The first page has been there from the start. */
	assert(distance != PAGE);
	pages = distance / PAGE;
}

static void execute(const struct node *node)
{
	for (; node != NULL && !returned && --fuel > 0; node = node->next) {
		switch (node->kind) {
		case K_ASSIGN:
			variables[node->number] = evaluate(node->first);
			break;
		case K_IF:
			if (loops > 0)
				profile(node->first);
			execute(evaluate(node->first) ? node->second : node->third);
			break;
		case K_WHILE:
			loops++;
			runs = 0;
			while (!returned && fuel > 0 && evaluate(node->first))
				execute(node->second);
			loops--;
			break;
		case K_BLOCK:
			execute(node->first);
			break;
		case K_PRINT:
			if (output++ >= MAX_OUTPUT)
				break;
			if (node->first->kind == K_STRING)
				printf("%s\n", node->first->text);
			else
				printf("%ld\n", evaluate(node->first));
			break;
		case K_RETURN:
			printf("result %ld\n", evaluate(node->first));
			returned = 1;
			break;
		default:
			evaluate(node->first);
		}
	}
}

int main(void)
{
	if (read_script() != 0) {
		ast_free();
		return 1;
	}
	execute(program);
	printf("%ld steps, %ld pages%s\n", FUEL - fuel, pages, fuel <= 0 ? ", stopped" : "");
	ast_free();
	return 0;
}
