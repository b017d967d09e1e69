/* Compiles a script to words of bytecode, patches the jumps, and checks the depth of the stack. */
#include "ast.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum op {
	OP_HALT, OP_PUSH, OP_TEXT, OP_LOAD, OP_STORE, OP_CALL, OP_POP, OP_PRINT, OP_RETURN, OP_NEGATE, OP_NOT,
	OP_JUMP, OP_BRANCH,
	OP_BINARY = 16,    /* and the kind of operator */
	OP_IMMEDIATE = 32, /* and the kind of operator: the right side is in the word */
	OP_LAST = 63
};

#define MAX_CODE 4000
#define MAX_STACK 50

/* Stands where the way out of a block is not known yet. No word of the machine has this value. */
#define OPEN_END (((uint32_t)(OP_IMMEDIATE + K_MOD - K_ADD) << 16) | 46017)

static uint32_t code[MAX_CODE];
static size_t used;
static int depth, deepest, blocks;
static const char *problem;

static void emit(uint32_t word, int effect)
{
	if (used == MAX_CODE) {
		problem = "the script is too long";
		return;
	}
	code[used++] = word;
	depth += effect;
	if (depth > deepest)
		deepest = depth;
}

static uint32_t word(unsigned op, long operand)
{
	return ((uint32_t)op << 16) | (uint32_t)(operand & 0xffff);
}

static void push(long number)
{
	if (number >= 0 && number <= 0xffff) {
		emit(word(OP_PUSH, number), 1);
		return;
	}
	emit(word(OP_PUSH, number >> 16), 1);
	emit(word(OP_IMMEDIATE + K_SHL - K_ADD, 16), 0);
	emit(word(OP_IMMEDIATE + K_ADD - K_ADD, number & 0xffff), 0);
}

static void expression(const struct node *node)
{
	const struct node *argument;
	int count = 0;

	switch (node->kind) {
	case K_NUMBER: push(node->number); return;
	case K_STRING: emit(word(OP_TEXT, (long)strlen(node->text)), 1); return;
	case K_NAME: emit(word(OP_LOAD, node->number), 1); return;
	case K_NEGATE:
	case K_NOT:
		expression(node->first);
		emit(word(node->kind == K_NOT ? OP_NOT : OP_NEGATE, 0), 0);
		return;
	case K_CALL:
		for (argument = node->first; argument != NULL && problem == NULL; argument = argument->next) {
			expression(argument);
			count++;
		}
		emit(word(OP_CALL, count), 1 - count);
		return;
	default: break;
	}
	expression(node->first);
	if (node->second->kind == K_NUMBER && node->second->number <= 0xffff) {
		emit(word(OP_IMMEDIATE + (node->kind - K_ADD), node->second->number), 0);
	} else {
		expression(node->second);
		emit(word(OP_BINARY + (node->kind - K_ADD), 0), -1);
	}
}

/* Puts the target into every jump since a place whose end was left open. */
static void close_ends(size_t from)
{
	size_t i;

	for (i = from; i < used; i++) {
		if (code[i] == OPEN_END) {
			assert(i > from && (code[i - 1] >> 16 == OP_JUMP || code[i - 1] >> 16 == OP_BRANCH));
			code[i] = (uint32_t)used;
		}
	}
}

static void statements(const struct node *node)
{
	for (; node != NULL && problem == NULL; node = node->next) {
		size_t start = used;

		switch (node->kind) {
		case K_ASSIGN:
			expression(node->first);
			emit(word(OP_STORE, node->number), -1);
			break;
		case K_IF:
			expression(node->first);
			start = used;
			emit(word(OP_BRANCH, 0), -1);
			emit(OPEN_END, 0);
			blocks++;
			statements(node->second);
			if (node->third != NULL) {
				emit(word(OP_JUMP, 0), 0);
				emit(0, 0);
			}
			close_ends(start);
			start = used;
			statements(node->third);
			if (node->third != NULL)
				code[start - 1] = (uint32_t)used;
			break;
		case K_WHILE:
			expression(node->first);
			emit(word(OP_BRANCH, 0), -1);
			emit(OPEN_END, 0);
			blocks++;
			statements(node->second);
			emit(word(OP_JUMP, 0), 0);
			emit((uint32_t)start, 0);
			close_ends(start);
			break;
		case K_BLOCK:
			statements(node->first);
			break;
		case K_PRINT:
			expression(node->first);
			emit(word(OP_PRINT, 0), -1);
			break;
		case K_RETURN:
			expression(node->first);
			emit(word(OP_RETURN, 0), -1);
			break;
		default:
			expression(node->first);
			emit(word(OP_POP, 0), -1);
		}
	}
}

int main(void)
{
	size_t i;
	uint32_t sum = 0;
	int status;

	if (read_script() != 0) {
		ast_free();
		return 1;
	}
	statements(program);
	emit(word(OP_HALT, 0), 0);
	if (problem == NULL && deepest > MAX_STACK)
		problem = "the script needs too much of the stack";
	for (i = 0; i < used; i++)
		sum = sum * 31 + code[i];
	if (problem != NULL)
		fprintf(stderr, "script: %s\n", problem);
	else
		printf("%zu words, checksum %08x, stack %d, %d blocks\n", used, (unsigned)sum, deepest, blocks);
	status = problem != NULL;
	ast_free();
	return status;
}
