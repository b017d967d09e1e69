%{
/* SimpleCalc, after section 2 of the CESE paper: one expression over letters and digits. Nobody asks whether a
 * divisor is zero. */
#include <stdio.h>

int yylex(void);
static void yyerror(const char *message);

/* What letters stand for; none of them is zero. */
static int recorded[52];
%}
%token LETTER DIGIT
%left '|'
%left '&'
%left '+' '-'
%left '*' '/' '%'
%right NEGATIVE
%%
line:
    expression                      { printf("%d\n", $1); }
  ;
expression:
    '(' expression ')'              { $$ = $2; }
  | expression '*' expression       { $$ = (int)((unsigned)$1 * (unsigned)$3); }
  | expression '/' expression       { $$ = $1 / $3; }
  | expression '%' expression       { $$ = $1 % $3; }
  | expression '+' expression       { $$ = (int)((unsigned)$1 + (unsigned)$3); }
  | expression '-' expression       { $$ = (int)((unsigned)$1 - (unsigned)$3); }
  | expression '|' expression       { $$ = $1 | $3; }
  | expression '&' expression       { $$ = $1 & $3; }
  | '-' expression %prec NEGATIVE   { $$ = (int)-(unsigned)$2; }
  | LETTER                          { $$ = recorded[$1]; }
  | DIGIT
  ;
%%
static void yyerror(const char *message)
{
    fprintf(stderr, "%s\n", message);
}

int main(void)
{
    for (int i = 0; i < 52; i++)
        recorded[i] = i + 1;
    return yyparse();
}
