# What a program's scanner returns is symbolic: tokens, texts and bytes are solved together, and inputs are sentences.
cat > rates.y << 'EOC'
%{
#include <stdio.h>
#include <stdlib.h>
int yylex(void);
void yyerror(const char *message) { puts(message); exit(1); }
static int rate, unit;
%}
%token NUMBER 258 PER 259 HOUR 260 MINUTE 261
%%
rules: rule | rules rule ;
rule: NUMBER PER period ';' { rate = $1 * unit; if (rate == 2820) abort(); } ;
period: HOUR { unit = 1; } | MINUTE { unit = 60; } ;
EOC
cat > rates.l << 'EOC'
%{
#include <stdlib.h>
extern int yylval;
enum { NUMBER = 258, PER, HOUR, MINUTE };
%}
%option noyywrap
%%
[0-9]+    { yylval = atoi(yytext); return NUMBER; }
per       return PER;
hour      return HOUR;
minute    return MINUTE;
;         return ';';
[ \n]+    ;
EOC
printf 'int yyparse(void);\nint main(void) { return yyparse(); }\n' > rates.c
bison -o rates.tab.c rates.y
flex -o rates.yy.c rates.l
gimlet-cc -O1 -o rates rates.c rates.tab.c rates.yy.c 2> /dev/null
echo '5 per hour;' > seed
language=(--grammar rates.y --lexer rates.l)
explore() {
    gimlet run "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}

# A number is needed that is longer than that of the seed, or another period with it.
explore --strategy grammar "${language[@]}" -i seed --budget 40s --stop-after-found 1 --summary found.json -o found -- ./rates
grep -q '^found abort' log.txt
sed -n '/"tokens": {/,/}/p' found.json > tokens.txt
grep -q '"asked": [1-9]' tokens.txt
grep -q '"mismatches": 0' tokens.txt
# Every input is a sentence.
gimlet grammar validate rates.y rates.l found/queue/id* found/crashes/id* > /dev/null

# Without seeds it begins with sentences, and without a grammar it makes others, too.
explore --strategy grammar "${language[@]}" --steps 60 -o sampled -- ./rates
gimlet grammar validate rates.y rates.l sampled/queue/id* > /dev/null
explore --strategy tokens "${language[@]}" -i seed --steps 80 -o free -- ./rates
if gimlet grammar validate rates.y rates.l free/queue/id* > /dev/null 2>&1; then exit 1; fi

# The same steps give the same tests.
explore --strategy grammar "${language[@]}" -i seed --steps 80 -o once -- ./rates
explore --strategy grammar "${language[@]}" -i seed --steps 80 -o twice -- ./rates
same "$(cat once/queue/id*)" "$(cat twice/queue/id*)"

# A path over tokens.
gimlet trace --token-fn yylex --stdin seed -- ./rates > trace.txt 2> /dev/null
grep -q 'tokens\[0\]' trace.txt
grep -q 'tokens 20' trace.txt
lacks rates.yy.c cat trace.txt

# What can't be is said.
refused() {
    local expected=$1
    shift
    if gimlet run "$@" > log.txt 2>&1; then echo "not refused: $*" >&2; exit 1; fi
    grep -q -- "$expected" log.txt || { cat log.txt >&2; exit 1; }
}
refused 'has no function next_one; it has .*yylex' --strategy grammar "${language[@]}" --token-fn next_one -i seed -o a -- ./rates
refused 'and there is none' --strategy grammar -i seed -o a -- ./rates
refused '--token-fn is for symbolic tokens' --strategy mutation "${language[@]}" --token-fn yylex -i seed -o a -- ./rates
refused 'is no number of bytes' --strategy grammar "${language[@]}" --token-fn next+x -i seed -o a -- ./rates
explore --strategy grammar "${language[@]}" --token-fn yy_create_buffer -i seed --steps 5 -o never -- ./rates
grep -q 'never returned a token' log.txt || grep -q 'returned other tokens' log.txt
# What the files call the scanner instead is known; if the program has no such function, the default says so.
sed 's/%option noyywrap/%option noyywrap prefix="rate_"/; s/yylval/rate_lval/' rates.l > prefixed.l
sed 's/^%token/%define api.prefix {rate_}\n%token/' rates.y > prefixed.y
printf 'int rate_parse(void);\nint main(void) { return rate_parse(); }\n' > prefixed.c
bison -o prefixed.tab.c prefixed.y
flex -o prefixed.yy.c prefixed.l
gimlet-cc -O1 -o prefixed prefixed.c prefixed.tab.c prefixed.yy.c 2> /dev/null
explore --strategy grammar --grammar prefixed.y --lexer prefixed.l -i seed --budget 40s --stop-after-found 1 -o prefixed.out -- ./prefixed
grep -q '^found abort' log.txt
explore "${language[@]}" -i seed --steps 5 -o missing -- ./prefixed
grep -q 'yylex is no function of the program: no tokens are variables' log.txt

# A grammar that has other numbers for its tokens.
sed 's/HOUR 260 MINUTE 261/HOUR 261 MINUTE 260/' rates.y > other.y
explore --strategy grammar --grammar other.y --lexer rates.l -i seed --steps 5 -o other -- ./rates
grep -q 'token 3 of 4 is HOUR by the grammar, and the program.s function returned 260 (MINUTE)' log.txt

# A token in a struct, by value and by address.
cat > struct.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
struct token { long place; int kind; };
static struct token next(void)
{
    int c = getchar();
    struct token token = {1, c == EOF || c == '\n' ? 0 : c == '+' ? 259 : 258};
    return token;
}
static struct token *next_at(void)
{
    static struct token token;
    token = next();
    return &token;
}
int main(int argc, char **argv)
{
    int n = 0, is_pointer = argc > 1;
    (void)argv;
    for (;;) {
        int kind = is_pointer ? next_at()->kind : next().kind;
        if (n++ % 2 == 0 ? kind != 258 : kind == 258)
            return 1;
        if (kind == 0)
            break;
        if (n == 6 && kind == 259)
            abort();
    }
    return 0;
}
EOC
cat > struct.y << 'EOC'
%token NAME 258 PLUS 259
%%
sum: NAME | sum PLUS NAME ;
EOC
printf 'NAME = "a"\nPLUS = "+"\nskip "\\n"\n' > struct.tokens
gimlet-cc -O1 -o struct struct.c
echo a > seed
for call in 'next ./struct' 'next_at ./struct pointer'; do
    read -r function command <<< "$call"
    # shellcheck disable=SC2086
    explore --strategy grammar --grammar struct.y --token-map struct.tokens --token-fn "$function+8" -i seed --budget 20s --stop-after-found 1 -o "by-$function" -- $command
    grep -q '^found abort' log.txt || { cat log.txt >&2; exit 1; }
done

# Fields that share a register: the token is one of them, and the other stays what it is.
sed -e 's/struct token { long place; int kind; };/struct token { int line; int kind; long place; };/' \
    -e 's/struct token token = {1, /struct token token = {c + 1, /' -e 's/: 258};/: 258, 7};/' \
    -e 's/int kind = is_pointer.*/struct token token = next();\n        int kind = token.kind;\n        if (token.line == 0x61 + 2 || token.place != 7)\n            return 3;/' \
    -e 's/, is_pointer = argc > 1;/;/; s/(void)argv;/(void)argv, (void)argc, (void)next_at;/' struct.c > packed.c
sed 's/int line; int kind; long place/int kind; int line; long place/; s/{c + 1, \(.*: 258\), 7}/{\1, c + 1, 7}/' packed.c > leading.c
grep -q 'int line; int kind' packed.c && grep -q '258, c + 1, 7}' leading.c
for place in 'packed next+4' 'leading next'; do
    read -r program function <<< "$place"
    gimlet-cc -O1 -o "$program" "$program.c"
    explore --strategy grammar --grammar struct.y --token-map struct.tokens --token-fn "$function" -i seed --budget 20s --stop-after-found 1 -o "by-$program" -- "./$program"
    grep -q '^found abort' log.txt || { cat log.txt >&2; exit 1; }
    lacks 'never returned a token\|other tokens' cat log.txt
done

# Functions that can't return tokens are refused before anything runs.
cat > kinds.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
static int kind;
static inline __attribute__((always_inline)) int now(void) { return getchar(); }
static __attribute__((noinline)) void advance(void) { kind = now(); }
static __attribute__((noinline)) double weight(void) { return kind * 0.5; }
static int next(void)
{
    advance();
    return kind == '+' ? 259 : kind == 'a' ? 258 : -1;
}
int main(void)
{
    int n = 0, token;
    while ((token = next()) > 0)
        if (++n == 5 && token == 258)
            abort();
    return weight() > 9.0;
}
EOC
gimlet-cc -O1 -o kinds kinds.c
kinds=(--strategy grammar --grammar struct.y --token-map struct.tokens)
printf a > seed
for function in main advance weight now next+4; do
    fails 2 gimlet run "${kinds[@]}" --token-fn "$function" -i seed -o a -- ./kinds > log.txt 2>&1
    grep -q "${function%+*} can't be the function that returns tokens: " log.txt || { cat log.txt >&2; exit 1; }
    grep -q hint log.txt
    fails 2 gimlet trace --token-fn "$function" --stdin seed -- ./kinds > log.txt 2>&1
done
grep -q 'it returns one number of 4 bytes, and nothing that is 4 bytes behind its beginning' log.txt
# What is never called is noted after the first run.
explore "${kinds[@]}" --token-fn next -i seed --steps 1 -o first -- ./kinds
lacks 'never' cat log.txt
explore "${language[@]}" --strategy grammar --token-fn yy_scan_string -i seed --steps 1 -o unused -- ./rates
grep -q 'yy_scan_string never returned a token' log.txt

# Another number than 0 at the end is learnt; that all of the input is read by the function is no news.
explore "${kinds[@]}" --token-fn next -i seed --budget 20s --stop-after-found 1 --summary end.json -o end -- ./kinds
grep -q '^found abort' log.txt || { cat log.txt >&2; exit 1; }
grep -q '"mismatches": 0' end.json
lacks 'never read its input' cat log.txt
gimlet trace --token-fn next --stdin seed -- ./kinds > trace.txt 2>&1
lacks 'never read' cat trace.txt

# Pins are counted where they are listed.
echo '5 per hour;' > seed
gimlet trace --token-fn yylex --stdin seed -- ./rates > trace.txt 2> /dev/null
n_pins=$(sed -n 's/^events .* pin \([0-9]*\).*/\1/p' trace.txt)
[ "$n_pins" -gt 0 ]
grep -Eq "^pins +$n_pins\$" trace.txt || { cat trace.txt >&2; exit 1; }

# Seeds that are no sentences are named.
mkdir seeds
echo '5 per hour;' > seeds/right
echo '5 hour;' > seeds/wrong
echo '5 per hour !' > seeds/strange
explore --strategy grammar "${language[@]}" -i seeds --steps 3 -o named -- ./rates
grep -q "seed seeds/wrong: no sentence: line 1, column 3, HOUR, can't come here; what can: PER" log.txt || { cat log.txt >&2; exit 1; }
grep -q 'seed seeds/strange: ' log.txt
lacks 'seed seeds/right' cat log.txt
explore --strategy tokens "${language[@]}" -i seeds --steps 3 -o named-tokens -- ./rates
lacks 'seed seeds/wrong' cat log.txt

# A search that goes on has its token function.
fails 2 gimlet run --resume --token-fn yylex -o named > log.txt 2>&1
grep -q 'has the token function that it began with' log.txt

# Characters on one side, numbers on the other.
printf '%%token NAME 258 PLUS 300\n%%%%\nsum: NAME | sum PLUS NAME ;\n' > named.y
cat > characters.c << 'EOC'
#include <stdio.h>
static int next(void)
{
    int c = getchar();
    return c == 'a' ? 258 : c == '+' ? '+' : 0;
}
int main(void)
{
    int token, n = 0;
    while ((token = next()) != 0)
        n += token == '+';
    return n;
}
EOC
gimlet-cc -O1 -o characters characters.c
printf 'a+a' > seed
explore --strategy grammar --grammar named.y --token-map struct.tokens --token-fn next -i seed --steps 3 -o one -- ./characters
grep -q "that is the character itself: write '+' for PLUS in the grammar, or \`%token PLUS 43\`" log.txt || { cat log.txt >&2; exit 1; }
printf '%%token NAME 258\n%%%%\nsum: NAME | sum '"'+'"' NAME ;\n' > literal.y
printf 'NAME = "a"\nskip "\\n"\n' > literal.tokens
explore --strategy grammar --grammar literal.y --token-map literal.tokens --token-fn next -i seed --steps 3 -o other-way -- ./kinds
grep -q 'the program has a number: write a name, `%token NAME 259`' log.txt || { cat log.txt >&2; exit 1; }

# The search ends when its time is over, however long seeds are.
for _ in $(seq 7700); do echo '5 per hour;'; done > long
fails 2 gimlet run --strategy grammar "${language[@]}" -i long --budget 1s -o long-out -- ./rates > log.txt 2>&1
grep -q 'seed long is left out: it has 92400 bytes' log.txt
head -n 1300 long > shorter
for budget in 1 $(is_all && echo 3); do
    began=$(date +%s%N)
    explore --strategy grammar "${language[@]}" -i shorter --budget ${budget}s -o "shorter-$budget" -- ./rates
    [ $((($(date +%s%N) - began) / 1000000)) -lt $((1000 * budget + 10000)) ] || { echo "ended late" >&2; exit 1; }
done

# A grammar of EBNF with a token map: its tokens have no numbers, so they are learnt from runs.
cat > rates.ebnf << 'EOC'
rules = rule, { rule } ;
rule = number, 'per', ('hour' | 'minute'), ';' ;
number = digit, { digit } ;
digit = '0' .. '9' ;
EOC
printf 'token number\nskip /[ \\n]+/\n' > rates.tokens
language=(--grammar rates.ebnf --token-map rates.tokens)
echo '5 per hour;' > seed
explore --strategy grammar "${language[@]}" -i seed --steps 150 --summary learnt.json -o learnt -- ./rates
sed -n '/"tokens": {/,/}/p' learnt.json > tokens.txt
grep -q '"asked": [1-9]' tokens.txt
grep -q '"mismatches": 0' tokens.txt
gimlet grammar validate --token-map rates.tokens rates.ebnf learnt/queue/id* learnt/crashes/id* > /dev/null
explore --strategy tokens "${language[@]}" -i seed --steps 60 -o ebnf-free -- ./rates
for strategy in default cese grammar-blackbox; do
    chosen=(--strategy "$strategy")
    if [ "$strategy" = default ]; then chosen=(); fi
    explore "${chosen[@]}" "${language[@]}" --steps 40 -o "ebnf-$strategy" -- ./rates
    test -n "$(ls "ebnf-$strategy/queue")" || { cat log.txt >&2; exit 1; }
done
