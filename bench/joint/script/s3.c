/* Folds constants, and packs the arguments of calls that are known. */
#include "ast.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define BIAS 0x7ff

static unsigned folded, packed;

static void fold_list(struct node *node);

/* Whether the value of a constant came out of a shift is kept in `third`. */
static struct node shifted;

static void fold(struct node *node)
{
	long value;

	if (node == NULL)
		return;
	if (node->kind == K_CALL) {
		fold_list(node->first);
		return;
	}
	if (node->kind == K_NEGATE || node->kind == K_NOT) {
		fold(node->first);
		if (node->first->kind != K_NUMBER)
			return;
		value = node->kind == K_NOT ? !node->first->number : -node->first->number;
	} else if (is_binary(node->kind)) {
		fold(node->first);
		fold(node->second);
		if (node->first->kind != K_NUMBER || node->second->kind != K_NUMBER)
			return;
		value = apply(node->kind, node->first->number, node->second->number);
		if (node->kind == K_SHL || node->kind == K_SHR)
			node->third = &shifted;
	} else {
		return;
	}
	node->kind = K_NUMBER;
	node->number = value;
	folded++;
}

/* Two constants go into one word: the first one, and the distance of the second one with a bias. */
static void pack(const struct node *call)
{
	const struct node *first = call->first, *second;
	long distance;

	if (first == NULL || first->next == NULL || first->next->next != NULL)
		return;
	second = first->next;
	if (first->kind != K_NUMBER || second->kind != K_NUMBER || first->number < 300)
		return;
	distance = second->number - first->number - BIAS;
	/* A shift leaves no distance of 0, which is for calls without arguments. */
	if (second->third == &shifted)
		assert(distance != 0);
	packed++;
	printf("%s: %ld, %ld\n", call->text, first->number, distance);
}

static void find_calls(const struct node *node)
{
	for (; node != NULL; node = node->next) {
		if (node->kind == K_CALL)
			pack(node);
		find_calls(node->first);
		find_calls(node->second);
		if (node->kind == K_IF)
			find_calls(node->third);
	}
}

static void fold_list(struct node *node)
{
	for (; node != NULL; node = node->next) {
		switch (node->kind) {
		case K_IF:
			fold(node->first);
			fold_list(node->second);
			fold_list(node->third);
			break;
		case K_WHILE:
			fold(node->first);
			fold_list(node->second);
			break;
		case K_BLOCK:
			fold_list(node->first);
			break;
		case K_ASSIGN:
		case K_PRINT:
		case K_RETURN:
		case K_EVALUATE:
			fold(node->first);
			break;
		default:
			fold(node);
		}
	}
}

int main(void)
{
	if (read_script() != 0) {
		ast_free();
		return 1;
	}
	fold_list(program);
	find_calls(program);
	printf("%u folded, %u packed\n", folded, packed);
	ast_free();
	return 0;
}
