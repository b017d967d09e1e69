# What is impossible in one sentence is looked for in others: a word that no branch asks for decides what a number can be.
cat > rates.y << 'EOC'
%{
#include <stdio.h>
#include <stdlib.h>
int yylex(void);
void yyerror(const char *message) { puts(message); exit(1); }
static struct { unsigned long long rate; int number; } rules[8];
static int n_rules;
static void add(int number, unsigned scale);
%}
%token NUMBER 258 PER 259 SECOND 260 MINUTE 261 HOUR 262
%%
rules: rule | rules rule ;
rule: NUMBER unit ';' { add($1, $2); } ;
unit: %empty { $$ = 3600; } | PER SECOND { $$ = 3600; } | PER MINUTE { $$ = 60; } | PER HOUR { $$ = 1; } ;
%%
static void add(int number, unsigned scale)
{
    if (n_rules == 8)
        return;
    rules[n_rules].number = number;
    rules[n_rules].rate = (unsigned long long)number * scale;
    n_rules++;
}
int main(void)
{
    unsigned long long floor;
    yyparse();
    if (n_rules < 3 || rules[0].number < 100)
        return 0;
    floor = 2 * rules[0].rate + 17;
    if (rules[2].rate < floor)
        return 0;
    if (rules[2].rate == floor)
        abort();
    return 0;
}
EOC
cat > rates.l << 'EOC'
%{
#include <stdlib.h>
extern int yylval;
enum { NUMBER = 258, PER, SECOND, MINUTE, HOUR };
%}
%option noyywrap
%%
[0-9]+    { yylval = atoi(yytext); return NUMBER; }
per       return PER;
second    return SECOND;
minute    return MINUTE;
hour      return HOUR;
;         return ';';
[ \n]+    ;
EOC
bison -o rates.tab.c rates.y
flex -o rates.yy.c rates.l
gimlet-cc -O1 -o rates rates.tab.c rates.yy.c 2> /dev/null
echo '120; 7; 300 per minute;' > seed
status=0
gimlet run --no-ui --strategy grammar --grammar rates.y --lexer rates.l -i seed --steps 200 --stop-after-found 1 \
    --summary sum.json -o out -- ./rates > log.txt 2>&1 || status=$?
same $status 10
grep -q '^found abort' log.txt
# Each input is a sentence, those that were led there as well.
gimlet grammar validate rates.y rates.l out/queue/id* out/crashes/id* > /dev/null
