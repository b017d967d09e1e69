/* The tree of a policy. */
#ifndef AST_H
#define AST_H

#include <stddef.h>

enum action { ACT_ALLOW, ACT_DENY, ACT_REJECT, ACT_LIMIT };
enum unit { UNIT_SECOND, UNIT_MINUTE, UNIT_HOUR };
enum direction { DIR_IN, DIR_OUT, DIR_FORWARD };
enum protocol { PROTO_TCP, PROTO_UDP, PROTO_ICMP, PROTO_ANY };
enum expr_kind { EX_NUMBER, EX_NAME, EX_OR, EX_AND, EX_ADD, EX_SHIFT };

#define MAX_RULES 128
#define MAX_DEFINITIONS 128
#define MAX_DEPTH 100
#define MAX_NUMBER 1000000000u

struct expr {
	enum expr_kind kind;
	unsigned number;
	const char *name;
	struct expr *left, *right;
	int depth;
};

struct address {
	const char *text;
	unsigned prefix;
	struct address *next;
};

struct match {
	enum { M_FROM, M_TO, M_PORT, M_MARK, M_LOG, M_TAG } kind;
	const char *text;
	unsigned low, high;
	struct expr *mark;
	struct match *next;
};

struct rule {
	enum action action;
	unsigned limit;
	enum unit unit;
	enum direction direction;
	enum protocol protocol;
	const char *from, *to, *log, *tag;
	int has_port;
	unsigned low, high;
	struct expr *mark;
};

struct definition {
	const char *name;
	struct expr *value;        /* of a constant */
	struct address *addresses; /* of a zone */
};

struct policy {
	struct rule rules[MAX_RULES];
	size_t rule_count;
	struct definition definitions[MAX_DEFINITIONS];
	size_t definition_count;
	enum action fallback;
};

/* What was read last, and whether something was wrong with it. */
extern struct policy policy;
extern int ast_errors;

unsigned ast_number(const char *digits);
char *ast_text(const char *from, size_t length);
struct expr *ast_expr(enum expr_kind kind, struct expr *left, struct expr *right);
struct expr *ast_leaf(enum expr_kind kind, unsigned number, const char *name);
struct address *ast_address(const char *text, unsigned prefix);
struct match *ast_match(int kind, const char *text, unsigned low, unsigned high, struct expr *mark);
void ast_define(const char *name, struct expr *value, struct address *addresses);
void ast_rule(struct rule head, struct match *matches);
void ast_error(const char *message);
void ast_free(void);

/* Reads a policy from standard input. 0: all is well. */
int read_policy(void);

extern const char *const action_names[], *const direction_names[], *const protocol_names[];

#endif
