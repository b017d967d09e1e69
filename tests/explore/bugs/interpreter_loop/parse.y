%{
/* A program is a displacement: a loop multiplies that of its body. */
#include "loop.h"

int yylex(void);
%}
%code requires { struct way { int dx, dy; }; }
%union { int number; struct way way; }
%token <number> NUMBER
%token LEFT RIGHT UP REPEAT END_REPEAT
%type <way> program statement
%%
whole:
    program                             { move($1.dx, $1.dy); }
  ;
program:
    /* empty */                         { $$ = (struct way){0, 0}; }
  | program statement                   { $$ = (struct way){$1.dx + $2.dx, $1.dy + $2.dy}; }
  ;
statement:
    LEFT NUMBER                         { $$ = (struct way){-$2, 0}; }
  | RIGHT NUMBER                        { $$ = (struct way){$2, 0}; }
  | UP NUMBER                           { $$ = (struct way){0, $2}; }
  | REPEAT NUMBER program END_REPEAT    { $$ = (struct way){(short)($2 * $3.dx), (short)($2 * $3.dy)}; }
  ;
