# How far a grammar and a program have drifted apart, by functions that reject, by the exit status and by what is said.
cat > list.y << 'EOC'
%{
#include <stdio.h>
int yylex(void);
void yyerror(const char *message) { fprintf(stderr, "wrong: %s\n", message); }
%}
%token NAME 258 NUMBER 259 LET 260 PRINT 261
%%
lines: line | lines line ;
line: LET NAME '=' value ';' | PRINT values ';' | PRINT ';' ;
values: value | values ',' value ;
value: NAME | NUMBER | '(' value ')' ;
EOC
cat > list.l << 'EOC'
%{
enum { NAME = 258, NUMBER, LET, PRINT };
%}
%option noyywrap
%%
let       return LET;
print     return PRINT;
[a-z]+    return NAME;
[0-9]+    return NUMBER;
[=;,()]   return yytext[0];
[ \n]+    ;
.         return 1;
EOC
printf 'int yyparse(void);\nint main(void) { yyparse(); return 0; }\n' > list.c
bison -o list.tab.c list.y
flex -o list.yy.c list.l
gimlet-cc -O1 -o list list.c list.tab.c list.yy.c 2> /dev/null
drift() {
    gimlet grammar drift "$@" 2> log.txt
}
has() {
    grep -q -e "$1" out.txt || { echo "lacks $1:" >&2; cat out.txt log.txt >&2; exit 1; }
}

# The grammar that the program was made of.
drift list.y --lexer list.l --number 700 -- ./list > out.txt
has '^no difference; 712 inputs'
grep -q 'rejects an input if it calls yyerror' log.txt

# One rule more: the program rejects.
sed "s/| PRINT ';'/| PRINT ';' | PRINT values ',' ';'/" list.y > comma.y
fails 1 drift comma.y --lexer list.l --number 700 -o comma -- ./list > out.txt
has '^the program rejects, the grammar accepts (.* inputs): "print [1a] , ;" -- without "," it is accepted (line: PRINT values'
has '^1 difference in'
grep -q '^print . , ;$' comma/001-rejected
fails 1 drift comma.y list.l --number 500 --json -- ./list > out.json
grep -q '"program": "rejects"' out.json
grep -q '"kind": "remove"' out.json
# A token is missing, and is known although no rule has it any more.
sed "s/LET NAME '=' value/LET NAME value/" list.y > equals.y
fails 1 drift equals.y --lexer list.l --number 700 -- ./list > out.txt
has 'the program rejects, the grammar accepts (.*): "let a [1a] ;" -- with "=" before "[1a]" it is accepted (line: LET NAME value'
has 'the program accepts, the grammar rejects (.*): "let a = .* ;" -- the grammar wants one "=" less'
lacks '^3 differences' cat out.txt
# One rule less: the grammar rejects.
sed "s/| PRINT ';'//" list.y > none.y
fails 1 drift none.y --lexer list.l --number 700 -- ./list > out.txt
has 'the program accepts, the grammar rejects (.*): "print ;" -- the grammar wants .* before ";"'
has '^1 difference in'

# What the program wants beyond its grammar: a phrase less, a phrase more, and both in one input.
sed -e "s/LET NAME '=' value ';' |/LET NAME '=' value ';' { if (n_lets++) yyerror(\"twice\"); } |/" \
    -e "s/| PRINT ';'/| PRINT ';' { if (!n_lets) yyerror(\"early\"); }/" -e 's/^int yylex/int n_lets;\n&/' list.y > choosy.y
bison -o choosy.tab.c choosy.y
gimlet-cc -O1 -o choosy list.c choosy.tab.c list.yy.c 2> /dev/null
fails 1 drift list.y --lexer list.l --number 1200 -- ./choosy > out.txt
has 'the program rejects, the grammar accepts (.*): "let a = [1a] ; let a = [1a] ;" -- without "let a = [1a] ;" before "let" it is accepted'
has 'the program rejects, the grammar accepts (.*): "print ;" -- with "[1a]" .* before ";" it is accepted'
has '^2 differences in'

# Inputs of the user, also those of a search.
sed "s/| PRINT ';'/| PRINT ';' | '(' '(' '(' line ')' ')' ')'/" list.y > nested.y
echo 'let a = 1; (((print 1;)))' > nested.txt
fails 1 drift nested.y --lexer list.l -i nested.txt --number 1 -- ./list > out.txt
has 'the program rejects, the grammar accepts (.*): "( ( ( print ; ) ) )"'
gimlet run --strategy mutation -i nested.txt --steps 60 -o found -- ./list > /dev/null 2>&1
fails 1 drift nested.y --lexer list.l -i found --number 1 -- ./list > out.txt

# Other ways to tell: what is said, and the status.
fails 1 drift comma.y --lexer list.l --number 1000 --reject-text 'wrong: ' -- ./list > out.txt
has 'without "," it is accepted'
# All is accepted, or rejected, if that is told by the wrong thing.
fails 2 drift list.y --lexer list.l --reject-status 3 -- ./list > out.txt
grep -q 'the program accepts every input' log.txt
grep -q -- '--reject-fn, --reject-status or --reject-text' log.txt
fails 2 drift list.y --lexer list.l --reject-fn main -- ./list > out.txt
grep -q 'the program rejects every input' log.txt

# A parser by hand, and a grammar in EBNF: blanks are no part of it, and the program takes a sign that it lacks.
cat > sum.ebnf << 'EOC'
sum ::= number ("+" number)*
number ::= [0-9]+
EOC
cat > sum.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    int c = getc(file), n = 0;
    for (;;) {
        if (c == '-')
            c = getc(file);
        if (c < '0' || c > '9')
            exit(1);
        for (n = 0; c >= '0' && c <= '9'; c = getc(file))
            n = n * 10 + c - '0';
        if (n == 77)
            abort();
        if (c == EOF)
            return 0;
        if (c != '+')
            exit(1);
        c = getc(file);
    }
}
EOC
gimlet-cc -O1 -o sum sum.c
fails 1 drift sum.ebnf --number 1200 -- ./sum @@ > out.txt
grep -q 'if it ends with another status than 0' log.txt
has 'the program accepts, the grammar rejects (.*): "-[0-9]" -- the grammar has no token "-"'
has '^1 difference in'
grep -q 'crash.* the program: gimlet run finds out more' log.txt
# Time is a limit, too.
sed 's/c == .-./0/' sum.c > right.c
gimlet-cc -O1 -o right right.c
drift sum.ebnf --budget 1s -- ./right > out.txt
has '^no difference; '

# What can't be is said.
refused() {
    local expected=$1
    shift
    fails 2 drift "$@" > out.txt
    grep -q -e "$expected" log.txt || { cat log.txt >&2; exit 1; }
}
refused 'has no function yyeror' list.y --lexer list.l --reject-fn yyeror -- ./list
grep -q 'hint: functions of such names: yyerror' log.txt
refused 'cannot read the inputs in absent' list.y --lexer list.l -i absent -- ./list
refused 'comma is not empty' list.y --lexer list.l -o comma -- ./list
refused 'no such program\|absent' list.y --lexer list.l -- ./absent
refused 'cannot read absent.y' absent.y -- ./list
refused 'cannot be used with' list.y --number 3 --budget 3s -- ./list
refused 'required' list.y
