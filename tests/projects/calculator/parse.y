%{
/* A calculator with variables: one statement a line. */
#include <stdio.h>
#include <stdlib.h>

int yylex(void);
static void yyerror(const char *message);
static long variables[32];
%}
%union { long number; }
%token <number> NUMBER NAME
%token LET PRINT WHILE NOT_ABOVE SAME
%type <number> expression
%nonassoc '<' NOT_ABOVE SAME
%left '+' '-'
%left '*' '/' '%'
%right NEGATIVE
%%
program:
    /* empty */
  | program statement '\n'
  | program '\n'
  | program error '\n'              { yyerrok; }
  ;
statement:
    LET NAME '=' expression         { variables[$2] = $4; }
  | PRINT expression                { printf("%ld\n", $2); }
  | expression                      { printf("= %ld\n", $1); }
  ;
expression:
    NUMBER
  | NAME                            { $$ = variables[$1]; }
  | expression '+' expression       { $$ = (long)((unsigned long)$1 + (unsigned long)$3); }
  | expression '-' expression       { $$ = (long)((unsigned long)$1 - (unsigned long)$3); }
  | expression '*' expression       { $$ = (long)((unsigned long)$1 * (unsigned long)$3); }
  | expression '/' expression       { $$ = $3 == 0 ? 0 : $3 == -1 ? (long)-(unsigned long)$1 : $1 / $3; }
  | expression '%' expression       { $$ = $3 == 0 || $3 == -1 ? 0 : $1 % $3; }
  | expression '<' expression       { $$ = $1 < $3; }
  | expression NOT_ABOVE expression { $$ = $1 <= $3; }
  | expression SAME expression      { $$ = $1 == $3; }
  | '-' expression %prec NEGATIVE   { $$ = (long)-(unsigned long)$2; }
  | '(' expression ')'              { $$ = $2; }
  ;
%%
static void yyerror(const char *message) { printf("%s\n", message); }

int main(void)
{
    int status = yyparse();
    if (variables['s' & 31] == 4711)
        puts("secret");
    return status;
}
