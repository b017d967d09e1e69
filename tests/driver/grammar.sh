# A grammar of yacc is read as bison reads it; its sentences are counted, listed, drawn and checked.
cat > calc.y << 'EOC'
%{
#include <stdio.h> /* } */
%}
%token NUM "number" WORD
%left '+'
%left '*'
%%
line: expr ;
expr: expr '+' expr { puts("}"); }
    | expr '*' expr
    | '(' expr ')'
    | NUM
    | WORD
    ;
EOC
gimlet grammar show calc.y > show.txt
grep -qx '   2  expr: expr '"'+'"' expr' show.txt
grep -qx ' 258  NUM  "number"' show.txt
grep -qx '  43  '"'+'" show.txt
bison --xml=calc.xml -o calc.tab.c calc.y 2> bison.txt
same "$(grep -o '<nonterminal .*name="[a-z]*"' calc.xml | wc -l)" 2
gimlet grammar show --json calc.y | grep -q '"start": "line"'

gimlet grammar check calc.y > check.txt
grep -q '^6 rules, ' check.txt
grep -q '0 shift/reduce, 0 reduce/reduce' check.txt
sed "s/^%left '+'//" calc.y > loose.y
gimlet grammar check loose.y > check.txt
n_conflicts=$(bison -o loose.tab.c loose.y 2>&1 | sed -n 's/.*warning: \([0-9]*\) shift.*/\1/p')
grep -q "conflicts: $n_conflicts shift/reduce" check.txt

# Two names, and with each operator between them or brackets around one.
gimlet grammar count --max-len 5 --max-height 3 calc.y > count.txt
grep -Eqx ' +3 +10 +12 +10' count.txt
grep -Eqx ' +5 +90 +102 +58' count.txt
gimlet grammar enumerate --max-len 3 -n 100 calc.y > all.txt
same 12 "$(wc -l < all.txt)"
same 12 "$(sort -u all.txt | wc -l)"
gimlet grammar enumerate --max-len 3 -n 100 calc.y | gimlet grammar validate calc.y > valid.txt
same 12 "$(grep -c ': a sentence$' valid.txt)"
gimlet grammar sample --len 7 -n 50 calc.y > some.txt
same 50 "$(awk 'NF == 7' some.txt | wc -l)"
gimlet grammar sample --len 7 -n 50 calc.y | cmp - some.txt
gimlet grammar sample --len 7 -n 50 --derivations calc.y | gimlet grammar validate calc.y > /dev/null
cat > weights <<'EOC'
# Only sums of numbers.
expr: expr '+' expr = 2
    | expr '*' expr = 0
    | WORD = 0   # of expr, too
4 = 0
5 = 3
EOC
gimlet grammar sample --len 9 -n 50 --weights weights calc.y > some.txt
same 50 "$(grep -Exc "NUM( '[+]' NUM){0,4}" some.txt)"
gimlet grammar show --svg calc.y | grep -q '<a href="#expr">'
gimlet grammar kpaths -k 2 calc.y 2> note.txt | gimlet grammar validate calc.y > /dev/null
grep -q 'chains of up to 2 symbols' note.txt

# What is wrong is said.
echo "NUM NUM" | fails 1 gimlet grammar validate calc.y > valid.txt
grep -q "1: no sentence: token 2, NUM, can't come here; what can: '+' '\*'" valid.txt
echo "NUM what" | fails 1 gimlet grammar validate calc.y | grep -q 'there is no token what'
printf '%%%%\ns: t "x ;\n' > broken.y
fails 1 gimlet grammar check broken.y > check.txt
grep -q '^broken.y:2:6: error' check.txt
fails 2 gimlet grammar count broken.y 2> log.txt
grep -q 'gimlet grammar check' log.txt
printf '%%%%\ns: s "x" ;\n' > endless.y
fails 2 gimlet grammar enumerate endless.y 2> log.txt
printf '%%%%\ns: t | %s ; t: s ;\n' "'x'" > cycle.y
gimlet grammar check cycle.y | grep -q 'infinitely many'
gimlet grammar count --max-len 2 cycle.y 2> log.txt | grep -Eqx ' +1 +infinite +infinite +1'
fails 2 gimlet grammar sample --len 2 calc.y 2> log.txt
grep -q 'no sentence has 2 tokens' log.txt
echo "expr: NUM = many" > wrong
fails 2 gimlet grammar sample --weights wrong calc.y 2> log.txt
grep -q '^wrong:1:13: error: many is no weight' log.txt
fails 2 gimlet grammar show nowhere.y 2> log.txt
fails 2 gimlet grammar show --start '"number"' calc.y 2> log.txt
grep -q 'is a token' log.txt
