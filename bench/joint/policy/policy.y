%code requires {
#include "ast.h"
}
%{
#include "ast.h"

int yylex(void);

static void yyerror(const char *message)
{
	ast_error(message);
}

/* The rule that is being read. */
static struct rule head;
%}

%union {
	unsigned number;
	int kind;
	char *text;
	struct expr *expr;
	struct address *address;
	struct match *match;
}

%token LET ZONE DEFAULT ALLOW DENY REFUSE LIMIT PER SECOND MINUTE HOUR
%token IN OUT FORWARD TCP UDP ICMP ANY FROM TO PORT MARK LOG TAG SHIFT INVALID
%token <number> NUMBER
%token <text> NAME STRING ADDRESS

%type <kind> verdict unit direction protocol
%type <expr> expr
%type <address> addresses address
%type <match> matches match

%left '|'
%left '&'
%left SHIFT
%left '+'

%%

policy
	: items
	;

items
	: item
	| items item
	;

item
	: definition ';'
	| rule ';'
	| DEFAULT verdict ';'                   { policy.fallback = $2; }
	;

definition
	: LET NAME '=' expr                     { ast_define($2, $4, NULL); }
	| ZONE NAME '=' addresses               { ast_define($2, NULL, $4); }
	;

addresses
	: address
	| addresses ',' address                 { $3->next = $1; $$ = $3; }
	;

address
	: ADDRESS                               { $$ = ast_address($1, 32); }
	| ADDRESS '/' NUMBER                    { $$ = ast_address($1, $3); }
	;

rule
	: action direction protocol matches
		{
			head.direction = $2;
			head.protocol = $3;
			ast_rule(head, $4);
		}
	;

action
	: verdict                               { head = (struct rule){.action = $1}; }
	| LIMIT NUMBER unit                     { head = (struct rule){.action = ACT_LIMIT, .limit = $2, .unit = $3}; }
	;

verdict
	: ALLOW                                 { $$ = ACT_ALLOW; }
	| DENY                                  { $$ = ACT_DENY; }
	| REFUSE                                { $$ = ACT_REJECT; }
	;

unit
	: %empty                                { $$ = UNIT_SECOND; }
	| PER SECOND                            { $$ = UNIT_SECOND; }
	| PER MINUTE                            { $$ = UNIT_MINUTE; }
	| PER HOUR                              { $$ = UNIT_HOUR; }
	;

direction
	: IN                                    { $$ = DIR_IN; }
	| OUT                                   { $$ = DIR_OUT; }
	| FORWARD                               { $$ = DIR_FORWARD; }
	;

protocol
	: TCP                                   { $$ = PROTO_TCP; }
	| UDP                                   { $$ = PROTO_UDP; }
	| ICMP                                  { $$ = PROTO_ICMP; }
	| ANY                                   { $$ = PROTO_ANY; }
	;

matches
	: %empty                                { $$ = NULL; }
	| matches match                         { $2->next = $1; $$ = $2; }
	;

match
	: FROM NAME                             { $$ = ast_match(M_FROM, $2, 0, 0, NULL); }
	| TO NAME                               { $$ = ast_match(M_TO, $2, 0, 0, NULL); }
	| PORT NUMBER                           { $$ = ast_match(M_PORT, NULL, $2, $2, NULL); }
	| PORT NUMBER '-' NUMBER                { $$ = ast_match(M_PORT, NULL, $2, $4, NULL); }
	| MARK expr                             { $$ = ast_match(M_MARK, NULL, 0, 0, $2); }
	| LOG STRING                            { $$ = ast_match(M_LOG, $2, 0, 0, NULL); }
	| TAG NAME                              { $$ = ast_match(M_TAG, $2, 0, 0, NULL); }
	;

expr
	: expr '|' expr                         { $$ = ast_expr(EX_OR, $1, $3); }
	| expr '&' expr                         { $$ = ast_expr(EX_AND, $1, $3); }
	| expr SHIFT expr                       { $$ = ast_expr(EX_SHIFT, $1, $3); }
	| expr '+' expr                         { $$ = ast_expr(EX_ADD, $1, $3); }
	| '(' expr ')'                          { $$ = $2; }
	| NUMBER                                { $$ = ast_leaf(EX_NUMBER, $1, NULL); }
	| NAME                                  { $$ = ast_leaf(EX_NAME, 0, $1); }
	;
