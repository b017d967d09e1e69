# The default with a grammar gets past a parser: parts of texts are exchanged as the grammar allows.
cat > calls.y << 'EOC'
%token NAME
%%
program: | program call ;
call: NAME '(' arguments ')' ';' ;
arguments: | argument | arguments ',' argument ;
argument: NAME | call | '[' arguments ']' ;
EOC
cat > calls.l << 'EOC'
%%
[a-z]+        return NAME;
[(),;[\]]      return yytext[0];
[ \n]+        ;
EOC
# Whatever is wrong ends it; brackets of four levels are a bug.
cat > calls.c << 'EOC'
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
static int c, depth;
static void next(void) { do c = getchar(); while (c == ' ' || c == '\n'); }
static void want(int wanted) { if (c != wanted) exit(1); next(); }
static void arguments(int end);
static void call(void)
{
    if (!islower(c)) exit(1);
    while (islower(c)) c = getchar();
    if (c == ' ' || c == '\n') next();
    if (c != '(') return;
    next();
    arguments(')');
    want(')');
    if (c != ';') exit(1);
    next();
}
static void arguments(int end)
{
    if (c == end) return;
    for (;;) {
        if (c == '[') {
            if (++depth == 4) abort();
            next();
            arguments(']');
            want(']');
            depth--;
        } else {
            call();
        }
        if (c != ',') return;
        next();
    }
}
int main(void)
{
    next();
    while (c != EOF) call();
    return 0;
}
EOC
gimlet-cc -O1 -o calls calls.c
mkdir seeds
echo 'f(a, [b]);' > seeds/one

search() {
    gimlet run "$@" -- ./calls > log.txt 2>&1 || [ $? -eq 10 ]
}
search --strategy mutation --steps 3000 --grammar calls.y --lexer calls.l -i seeds -o one
grep -q '^found abort' log.txt
ls one/queue | grep -q op:graft
# Most tests are of the language.
gimlet grammar validate calls.y calls.l one/queue/* > valid.txt || true
n_valid=$(grep -c ': a sentence' valid.txt)
n_all=$(wc -l < valid.txt)
[ $((n_valid * 2)) -ge "$n_all" ] || { echo "$n_valid of $n_all tests are of the language" >&2; exit 1; }
# The same seed gives the same tests.
search --strategy mutation --steps 3000 --grammar calls.y --lexer calls.l -i seeds -o two
same "$(cd one/queue && cat *)" "$(cd two/queue && cat *)"
# Without seeds, and the default.
search --budget 20s --stop-after-found 1 --grammar calls.y --lexer calls.l -o three
grep -q '^found abort' log.txt

# What takes no grammar says so.
fails 2 gimlet run --strategy dfs --grammar calls.y -o none -- ./calls 2> log.txt
grep -q 'a grammar is of no use to the strategy dfs' log.txt

# A grammar of something else is told.
cat > other.c << 'EOC'
#include <stdio.h>
int main(void) { return getchar() == '#' ? 0 : 3; }
EOC
gimlet-cc -O1 -o other other.c
gimlet run --budget 3s --grammar calls.y --lexer calls.l -i seeds -o other-tests -- ./other > log.txt 2>&1
grep -q 'ended with status 3 on all of' log.txt
