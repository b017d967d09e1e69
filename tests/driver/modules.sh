# Parts of a program: how much of each is covered, how many inputs reach it, and how many the program accepts; by strategy.
cat > calc.y << 'EOF'
%{
int yylex(void);
int yyerror(const char *message);
int value(int a, int b);
%}
%token NUMBER 258
%%
lines: line | lines line ;
line: sum ';' ;
sum: NUMBER | sum '+' NUMBER { $$ = value($1, $3); } ;
EOF
cat > calc.l << 'EOF'
%{
#include <stdlib.h>
extern int yylval;
%}
%option noyywrap
%%
[0-9]+    { yylval = atoi(yytext); return 258; }
[+;]      return yytext[0];
[ \n]+    ;
EOF
cat > deep.c << 'EOF'
#include <stdlib.h>
int value(int a, int b)
{
    if (a + b == 7777)
        abort();
    return a > b ? a : b;
}
EOF
printf '#include <stdio.h>\nint yyparse(void);\nint yyerror(const char *message) { return puts(message); }\nint main(void) { return yyparse(); }\n' > main.c
bison -o calc.tab.c calc.y
flex -o calc.yy.c calc.l
gimlet-cc -O1 -o calc main.c deep.c calc.tab.c calc.yy.c 2> /dev/null
echo '1+2;' > seed
language=(--grammar calc.y --lexer calc.l)
parts=(--module scanner=calc.l,calc.yy.c --module parser=calc.y,calc.tab.c --module deep=deep.c --reject-fn yyerror)
explore() {
    gimlet run "${parts[@]}" --summary summary.json "$@" > log.txt 2>&1 || [ $? -eq 10 ] || { cat log.txt >&2; exit 1; }
}
# A number of the summary's parts.
part() {
    python3 -c "import json; print(json.load(open('summary.json'))['parts']$1)"
}

# Sentences are accepted, and bytes that change by chance mostly are not.
explore --strategy grammar-blackbox "${language[@]}" --steps 300 -o sentences -- ./calc
grep -q 'the program accepts 100.0 % of 300 inputs' log.txt || { cat log.txt >&2; exit 1; }
gimlet grammar validate calc.y calc.l sentences/queue/id* > /dev/null
[ "$(part "['modules'][2]['inputs']")" -gt 100 ]
explore --strategy blackbox -i seed --steps 300 -o bytes -- ./calc
[ "$(part "['rejected']")" -gt 100 ]
[ "$(part "['modules'][1]['constraints']")" -le "$(part "['constraints']")" ]

# What is accepted and reached is all there is, and conditions are counted where they are.
explore --strategy grammar "${language[@]}" -i seed --steps 100 -o grammar -- ./calc
same "$(part "['rejected']")" 0
same "$(part "['sentences']")" "$(part "['inputs']")"
same "$(part "['modules'][0]['constraints']")" 0
[ "$(part "['modules'][1]['constraints']")" -gt 0 ]
grep -Eq '^module deep: [0-9]+/4 branches' log.txt
# The same for bytes: now the scanner decides.
explore --strategy whitebox -i seed --steps 100 -o whitebox -- ./calc
[ "$(part "['modules'][0]['constraints']")" -gt 0 ]
# Without seeds, sentences are what it begins with.
explore --strategy whitebox "${language[@]}" --steps 5 -o sampled -- ./calc
gimlet grammar validate calc.y calc.l sampled/queue/id* > /dev/null
# A search that goes on has counted them, and knows its parts.
n_before=$(part "['inputs']")
gimlet run --resume --steps 20 --summary summary.json -o sampled > log.txt 2>&1 || [ $? -eq 10 ]
[ "$(part "['inputs']")" -gt "$n_before" ] || { cat log.txt >&2; exit 1; }

# The default finds what is behind the parser, with tokens.
explore "${language[@]}" -i seed --budget 60s --stop-after-found 1 -o default -- ./calc
grep -q '^found abort' log.txt

# What is not there is said before anything runs.
fails 2 gimlet run --module deep=deap.c -o a -- ./calc 2> error.txt
grep -q 'no file of the program is one of the module deep' error.txt
grep -q 'deep.c' error.txt
fails 2 gimlet run --module deep -o a -- ./calc 2> error.txt
fails 2 gimlet run --module a=deep.c --module a=main.c -o a -- ./calc 2> error.txt
fails 2 gimlet run --reject-fn yyerr -o a -- ./calc 2> error.txt
grep -q 'yyerror' error.txt
fails 2 gimlet run --strategy grammar-blackbox -o a -- ./calc 2> error.txt
grep -q 'there is none' error.txt
fails 2 gimlet run --strategy grammar-blackbox "${language[@]}" -i seed -o a -- ./calc 2> error.txt
fails 2 gimlet run --strategy grammar-blackbox "${language[@]}" --len 1 -o a -- ./calc 2> error.txt
grep -q 'greater --len' error.txt
