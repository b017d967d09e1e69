%{
#include <stdio.h>
#include "interpreter.h"

int yylex(void);
%}
%token NUMBER NAME LET PRINT
%left '+' '-'
%left '*'
%%
program:
    /* empty */
  | program statement ';'
  ;
statement:
    LET NAME '=' expression     { assign($2, $4); }
  | PRINT expression            { printf("%d\n", $2); }
  ;
expression:
    NUMBER
  | NAME                        { $$ = value_of($1); }
  | expression '+' expression   { $$ = (int)((unsigned)$1 + (unsigned)$3); }
  | expression '-' expression   { $$ = (int)((unsigned)$1 - (unsigned)$3); }
  | expression '*' expression   { $$ = (int)((unsigned)$1 * (unsigned)$3); }
  | '(' expression ')'          { $$ = $2; }
  ;
