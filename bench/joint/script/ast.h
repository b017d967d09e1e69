/* The tree of a script. */
#ifndef AST_H
#define AST_H

#include <stddef.h>

enum kind {
	/* expressions */
	K_NUMBER, K_STRING, K_NAME, K_CALL, K_NEGATE, K_NOT,
	K_ADD, K_SUB, K_MUL, K_DIV, K_MOD, K_SHL, K_SHR, K_AND, K_OR,
	K_EQ, K_NE, K_LT, K_LE, K_GT, K_GE,
	/* statements */
	K_ASSIGN, K_IF, K_WHILE, K_BLOCK, K_PRINT, K_RETURN, K_EVALUATE
};

#define MAX_DEPTH 200
#define MAX_VARIABLES 64
#define MAX_NUMBER 2000000000L

struct node {
	enum kind kind;
	long number;        /* of K_NUMBER; the slot of K_NAME and K_ASSIGN */
	const char *text;   /* of K_STRING, K_NAME, K_CALL, K_ASSIGN */
	struct node *first, *second, *third;
	struct node *next;  /* the next statement or argument */
	int depth;
};

extern struct node *program;
extern int ast_errors;
extern const char *variable_names[MAX_VARIABLES];
extern size_t variable_count;

char *ast_text(const char *from, size_t length);
long ast_number(const char *digits);
struct node *ast_node(enum kind kind, struct node *first, struct node *second, struct node *third);
struct node *ast_leaf(enum kind kind, long number, const char *text);
struct node *ast_named(enum kind kind, const char *name, struct node *first);
/* Lists are built backwards, and turned at the end. */
struct node *ast_push(struct node *list, struct node *node);
struct node *ast_turn(struct node *list);
void ast_error(const char *message);
void ast_free(void);

/* Reads a script from standard input. 0: all is well. */
int read_script(void);

static inline int is_binary(enum kind kind)
{
	return kind >= K_ADD && kind <= K_GE;
}

/* What an operator makes of two numbers. 0 if nothing is defined. */
long apply(enum kind kind, long left, long right);

#endif
