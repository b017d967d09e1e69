# Strings of a grammar are explored one by one: what is in no hole stays, holes keep to their tokens, and no path comes twice.
cat > sum.y << 'EOC'
%token NUMBER
%%
sum: NUMBER | sum '+' NUMBER | sum '/' NUMBER ;
EOC
cat > sum.l << 'EOC'
%%
[0-9]     return NUMBER;
[+/]      return yytext[0];
\n        return 0;
EOC
cat > sum.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int c, value = 0, op = '+';
    while ((c = getchar()) != EOF && c != '\n') {
        if (c < '0' || c > '9')
            return 1;
        value = op == '+' ? value + (c - '0') : c == '0' ? (abort(), 0) : value / (c - '0');
        if ((op = getchar()) == EOF)
            break;
        if (op != '+' && op != '/')
            return 2;
    }
    return value == 7 ? 3 : 0;
}
EOC
gimlet-cc -O1 -o sum sum.c
# A figure of a summary.
figure() {
    sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1
}
explore() {
    gimlet run --strategy cese "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}

explore -o whole --grammar sum.y --lexer sum.l --len 3 --summary whole.json -- ./sum
grep -q '^exhausted' log.txt
grep -q '^found abort' log.txt
same "$(figure whole.json strings)" 3
ls whole/queue | grep -q op:grammar
# Every test is a string of the grammar.
for test in whole/queue/*; do
    grep -qxE '[0-9]([+/][0-9])?' "$test" || { echo "not a sum: $test" >&2; exit 1; }
done

# In pieces it is the same.
explore -o pieces --grammar sum.y --lexer sum.l --len 3 --steps 3 -- ./sum
until grep -q '^exhausted' log.txt; do
    explore --resume -o pieces --steps 3 --summary pieces.json
done
same "$(figure pieces.json paths)" "$(figure whole.json paths)"

# With other files the strings are others: that is said, and nothing is lost.
explore -o changed --grammar sum.y --lexer sum.l --len 3 --steps 3 -- ./sum
cp sum.l sum.l.old
sed -i 's/0-9/0-7/' sum.l
fails 2 gimlet run --resume -o changed 2> log.txt
grep -q 'error: .*/sum.l has changed since the search in changed began' log.txt
grep -q 'hint: .*put the file back' log.txt
mv sum.l.old sum.l
explore --resume -o changed
grep -q '^exhausted' log.txt

# So it is for two workers.
explore -j 2 -o team --grammar sum.y --lexer sum.l --len 3 --summary team.json -- ./sum
grep -q '^exhausted' log.txt
same "$(figure team.json paths)" "$(figure whole.json paths)"

# What cannot be is said.
fails 2 gimlet run --strategy cese -o none -- ./sum 2> log.txt
grep -q -e '--grammar' log.txt
fails 2 gimlet run --strategy cese --grammar sum.y -i sum.y -o none -- ./sum 2> log.txt
fails 2 gimlet run --strategy cese --grammar none.y -o none -- ./sum 2> log.txt
grep -q 'none.y' log.txt
sed "s/: NUMBER |/: NUMBER NUMBER |/" sum.y > pairs.y
grep -q "NUMBER NUMBER" pairs.y
fails 2 gimlet run --strategy cese --grammar pairs.y --lexer sum.l --len 1 -o none -- ./sum 2> log.txt
grep -q 'no string has 1 tokens or fewer' log.txt
grep -q 'hint: .*the shortest has 2' log.txt
fails 2 gimlet run --strategy cese --grammar sum.y --lexer sum.l --max-len 9 -o none -- ./sum 2> log.txt
grep -q -e 'hint: --len N: up to N tokens' log.txt

# A grammar of something else.
cat > ab.y << 'EOC'
%%
s: 'a' | 'b' | s 'a' | s 'b' ;
EOC
explore -o other --grammar ab.y --steps 60 -- ./sum
grep -q 'note: the program ended with status 1 on all of 50 strings: does it read' log.txt
grep -q '^the program took the same [0-9]* branches on all of 60 strings' log.txt
