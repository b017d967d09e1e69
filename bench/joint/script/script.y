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
%}

%union {
	long number;
	char *text;
	struct node *node;
}

%token IF ELSE WHILE PRINT RETURN TRUE FALSE EQ NE LE GE SHL SHR AND OR INVALID
%token <number> NUMBER
%token <text> NAME STRING

%type <node> statements statement block otherwise call arguments list expr

%left OR
%left AND
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%right UNARY

%%

script
	: statements                                    { program = ast_turn($1); }
	;

statements
	: statement                                     { $$ = ast_push(NULL, $1); }
	| statements statement                          { $$ = ast_push($1, $2); }
	;

statement
	: NAME '=' expr ';'                             { $$ = ast_named(K_ASSIGN, $1, $3); }
	| IF '(' expr ')' block otherwise               { $$ = ast_node(K_IF, $3, $5, $6); }
	| WHILE '(' expr ')' block                      { $$ = ast_node(K_WHILE, $3, $5, NULL); }
	| PRINT expr ';'                                { $$ = ast_node(K_PRINT, $2, NULL, NULL); }
	| RETURN expr ';'                               { $$ = ast_node(K_RETURN, $2, NULL, NULL); }
	| call ';'                                      { $$ = ast_node(K_EVALUATE, $1, NULL, NULL); }
	| block
	;

block
	: '{' statements '}'                            { $$ = ast_node(K_BLOCK, ast_turn($2), NULL, NULL); }
	| '{' '}'                                       { $$ = ast_node(K_BLOCK, NULL, NULL, NULL); }
	;

otherwise
	: %empty                                        { $$ = NULL; }
	| ELSE block                                    { $$ = $2; }
	;

call
	: NAME '(' arguments ')'                        { $$ = ast_named(K_CALL, $1, $3); }
	;

arguments
	: %empty                                        { $$ = NULL; }
	| list                                          { $$ = ast_turn($1); }
	;

list
	: expr                                          { $$ = ast_push(NULL, $1); }
	| list ',' expr                                 { $$ = ast_push($1, $3); }
	;

expr
	: expr OR expr                                  { $$ = ast_node(K_OR, $1, $3, NULL); }
	| expr AND expr                                 { $$ = ast_node(K_AND, $1, $3, NULL); }
	| expr EQ expr                                  { $$ = ast_node(K_EQ, $1, $3, NULL); }
	| expr NE expr                                  { $$ = ast_node(K_NE, $1, $3, NULL); }
	| expr '<' expr                                 { $$ = ast_node(K_LT, $1, $3, NULL); }
	| expr LE expr                                  { $$ = ast_node(K_LE, $1, $3, NULL); }
	| expr '>' expr                                 { $$ = ast_node(K_GT, $1, $3, NULL); }
	| expr GE expr                                  { $$ = ast_node(K_GE, $1, $3, NULL); }
	| expr SHL expr                                 { $$ = ast_node(K_SHL, $1, $3, NULL); }
	| expr SHR expr                                 { $$ = ast_node(K_SHR, $1, $3, NULL); }
	| expr '+' expr                                 { $$ = ast_node(K_ADD, $1, $3, NULL); }
	| expr '-' expr                                 { $$ = ast_node(K_SUB, $1, $3, NULL); }
	| expr '*' expr                                 { $$ = ast_node(K_MUL, $1, $3, NULL); }
	| expr '/' expr                                 { $$ = ast_node(K_DIV, $1, $3, NULL); }
	| expr '%' expr                                 { $$ = ast_node(K_MOD, $1, $3, NULL); }
	| '-' expr %prec UNARY                          { $$ = ast_node(K_NEGATE, $2, NULL, NULL); }
	| '!' expr %prec UNARY                          { $$ = ast_node(K_NOT, $2, NULL, NULL); }
	| '(' expr ')'                                  { $$ = $2; }
	| call
	| NUMBER                                        { $$ = ast_leaf(K_NUMBER, $1, NULL); }
	| STRING                                        { $$ = ast_leaf(K_STRING, 0, $1); }
	| NAME                                          { $$ = ast_named(K_NAME, $1, NULL); }
	| TRUE                                          { $$ = ast_leaf(K_NUMBER, 1, NULL); }
	| FALSE                                         { $$ = ast_leaf(K_NUMBER, 0, NULL); }
	;
