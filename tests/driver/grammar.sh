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

# With its scanner: sentences are texts, texts are sentences.
cat > calc.l << 'EOC'
%%
[0-9]+      return NUM;
[a-z]+      return WORD;
[-+*()]     return yytext[0];
[ \t\n]+    ;
EOC
gimlet grammar check calc.y calc.l > check.txt
grep -q 'a scanner of 4 rules' check.txt
gimlet grammar enumerate --max-len 3 -n 100 calc.y calc.l > texts.txt
same 12 "$(sort -u texts.txt | wc -l)"
grep -qx '"(1)"' texts.txt
gimlet grammar enumerate --tokens --max-len 3 -n 100 calc.y calc.l | cmp - all.txt
gimlet grammar sample --len 9 -n 50 --out texts calc.y calc.l 2> note.txt
grep -q '50 texts are in texts' note.txt
same 50 "$(ls texts | wc -l)"
gimlet grammar validate calc.y calc.l texts/* > valid.txt
same 50 "$(grep -c ': a sentence$' valid.txt)"
printf 'x + 2 * (3' | fails 1 gimlet grammar validate calc.y calc.l > valid.txt
grep -q "it can't end here; what can: '+' '\*' ')'" valid.txt
printf 'x +\n* 2' | fails 1 gimlet grammar validate calc.y calc.l > valid.txt
grep -q "line 2, column 1, '\*', can't come here" valid.txt
# One hole for numbers and words, of one byte and of two.
gimlet grammar count --symbolic --hole-len 1 --max-len 5 calc.y calc.l > count.txt
grep -Eqx ' +3 +3 +4 +3' count.txt
gimlet grammar enumerate --symbolic --hole-len 1 --max-len 3 calc.y calc.l > texts.txt
same 4 "$(wc -l < texts.txt)"
grep -qx '"⟨?⟩+⟨?⟩"' texts.txt
gimlet grammar enumerate --symbolic --max-len 1 --json calc.y calc.l | grep -q '"holes":\[{"at":0,"len":2}\]'
# Without a scanner, texts of tokens can be said.
printf 'NUM = /[0-9]+/\nWORD = "it"\nlength NUM 3..4\n' > map
gimlet grammar enumerate --max-len 3 -n 100 --token-map map calc.y > texts.txt
grep -qx '"it+1"' texts.txt
gimlet grammar enumerate --symbolic --max-len 1 --token-map map calc.y | grep -qx '"⟨????⟩"'
echo 'NOBODY = "x"' > map
fails 2 gimlet grammar enumerate --token-map map calc.y 2> log.txt
grep -q '^map:1:1: error: the grammar has no token NOBODY' log.txt
fails 2 gimlet grammar enumerate --symbolic calc.y 2> log.txt
grep -q 'which tokens have several texts is not known' log.txt
# Other kinds of grammars.
echo 'sum = num , { ("+" | "-") , num } ; num = "0" | "1" ;' > sum.ebnf
gimlet grammar enumerate --max-len 3 -n 100 sum.ebnf > texts.txt
same 2 "$(wc -l < texts.txt)"
gimlet grammar count --max-len 3 sum.ebnf | grep -Eqx " +3 +8 +10 +8"
printf '1+0-1' | gimlet grammar validate sum.ebnf
# With a token map EBNF is a grammar of tokens: its strings, the map's names, and rules that the map calls tokens.
cat > let.ebnf << 'EOC'
let = 'let', Name, '=', value, { '+', value } ;
value = Name | number ;
number = digit, { digit } ;
digit = '0' .. '9' ;
EOC
printf 'Name = /[a-z]+/\ntoken number\nskip /[ \\n]+/\nlength Name 1\n' > let.tokens
lets=(--token-map let.tokens let.ebnf)
gimlet grammar check "${lets[@]}" | grep -qx '5 rules, 5 tokens, 3 other symbols'
gimlet grammar show "${lets[@]}" | grep -qx " 258  'let'  such as let"
same '"let a=a" "let a=1" "let a=a+a" "let a=a+1" "let a=1+a" "let a=1+1"' "$(gimlet grammar enumerate --max-len 6 "${lets[@]}" | paste -sd' ')"
gimlet grammar count --max-len 6 "${lets[@]}" | grep -Eqx ' +6 +936 +936 +936'
gimlet grammar sample --len 10 -n 20 --out lets "${lets[@]}" 2> /dev/null
gimlet grammar validate "${lets[@]}" lets/* | grep -c ': a sentence$' | grep -qx 20
gimlet grammar kpaths -k 2 "${lets[@]}" 2> /dev/null | grep -q 'let'
gimlet grammar complete "${lets[@]}" "'let'" . "'='" number "'+'" | grep -qx '"let a=1+a"'
gimlet grammar show --svg "${lets[@]}" | grep -q '<a href="#value">'
gimlet grammar enumerate --symbolic --max-len 4 "${lets[@]}" | grep -q '"let ⟨?⟩=⟨?'
printf 'let  lets = 12\n+ x' | gimlet grammar validate "${lets[@]}"
printf 'let let = 12' | fails 1 gimlet grammar validate "${lets[@]}" | grep -q "'let', can't come here; what can: Name"
# Without it, names need rules.
fails 2 gimlet grammar show let.ebnf 2> log.txt
grep -q '`Name` has no rules' log.txt
printf 'token number\ntoken nobody\nName = /[a-z]+/\n' > some.tokens
fails 2 gimlet grammar show --token-map some.tokens let.ebnf 2> log.txt
grep -q '^some.tokens:2:7: error: the grammar has no rule nobody' log.txt
printf 'Name = /[a-z]+/\n' > some.tokens
fails 2 gimlet grammar show --token-map some.tokens let.ebnf 2> log.txt
grep -q '^let.ebnf:4:9: error: with a token map, rules consist of tokens' log.txt
printf 'token NUM\n' > some.tokens
fails 2 gimlet grammar show --token-map some.tokens calc.y 2> log.txt
grep -q '^some.tokens:1:7: error: only in EBNF can rules become tokens' log.txt
cat > Sum.g4 << 'EOC'
grammar Sum;
sum : NUM (('+' | '-') NUM)* ;
NUM : [0-9]+ ;
WS : [ \t\r\n]+ -> skip ;
EOC
printf '1 + 20 - 3' | gimlet grammar validate Sum.g4
gimlet grammar count --symbolic --hole-len 1 --max-len 5 Sum.g4 > count.txt
grep -Eqx ' +5 +4 +7 +4' count.txt

# A token that the scanner makes of the end of its input.
printf '%%token NUM END\n%%%%\ns: NUM END | NUM s ;\n' > last.y
printf '%%%%\n[0-9]+ return NUM;\n[ ] ;\n<<EOF>> { return END; }\n' > last.l
gimlet grammar enumerate --max-len 3 last.y last.l > texts.txt
same '"1" "1 1"' "$(paste -sd' ' texts.txt)"
printf '1 22' | gimlet grammar validate last.y last.l
# The end counts as a byte: ten numbers of one digit and a hundred of two, or two of one.
gimlet grammar count --max-len 3 last.y last.l | grep -Eqx ' +3 +200 +210 +200'

# Only what the parser accepts which yacc makes.
cat > less.y << 'EOC'
%nonassoc '<'
%%
e: e '<' e | 'n' | '(' e ')' ;
EOC
gimlet grammar sample --len 5 -n 50 less.y | gimlet grammar validate less.y > valid.txt
grep -q ": a sentence that yacc's parser refuses" valid.txt
gimlet grammar sample --accepted --len 5 -n 50 less.y | gimlet grammar validate less.y > valid.txt
same 50 "$(grep -c ': a sentence$' valid.txt)"
gimlet grammar sample --accepted --derivations --len 5 -n 9 less.y | gimlet grammar validate less.y > valid.txt
same 9 "$(grep -c ': a sentence$' valid.txt)"
gimlet grammar sample --accepted --len 9 -n 9 --weights /dev/null less.y | gimlet grammar validate less.y > valid.txt
same 9 "$(grep -c ': a sentence$' valid.txt)"
printf "%%nonassoc '<'\n%%%%\ns: e '<' e ; e: e '<' e | 'n' ;\n" > never.y
fails 2 gimlet grammar sample --accepted --len 5 never.y 2> log.txt
grep -q "yacc's parser refuses each of the last 10,000 sentences" log.txt
gimlet grammar kpaths --accepted -k 3 less.y 2> note.txt | gimlet grammar validate less.y > valid.txt
lacks 'refuses' cat valid.txt
grep -q "yacc's parser refuses [1-9][0-9]* of them" note.txt

# Long inputs of an ambiguous grammar; Ctrl-C ends what takes too long all the same.
awk 'BEGIN { printf "NUM"; for (i = 0; i < 1500; i++) printf " %c+%c NUM", 39, 39; print " NUM" }' > long.txt
fails 1 timeout 60 gimlet grammar validate calc.y long.txt > valid.txt
grep -q "1: no sentence: token 3002, NUM, can't come here; what can: '+' '\*'" valid.txt
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "NUM %c+%c ", 39, 39; print "NUM NUM" }' > endless.txt
fails 130 timeout --preserve-status -k 20 -s INT 1 gimlet grammar validate --start expr loose.y endless.txt 2> log.txt

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
printf "expr: NUM = 0\n| WORD = 0\n" > wrong
fails 2 gimlet grammar sample --weights wrong calc.y 2> log.txt
grep -q '^wrong:2:1: error: expr has no sentence without its rules of weight 0' log.txt
# No text is both two words and something between.
printf '%%%%\n[0-9]+ return NUM;\n[a-z]+ return WORD;\n' > glued.l
printf '%%token NUM WORD\n%%%%\ns: WORD WORD | NUM ;\n' > glued.y
gimlet grammar enumerate glued.y glued.l 2> note.txt | grep -qx '"1"'
grep -q '1 sentences have no text; of the first, token 2 .* no text of WORD may stand behind WORD' note.txt
gimlet grammar enumerate --symbolic glued.y glued.l 2> note.txt > /dev/null
grep -q 'no text of WORD\[1\] may stand behind WORD\[1\]' note.txt
printf '%%%%\n[0-9]+ return NUM;\n' > numbers.l
printf '%%token NUM WORD\n%%%%\ns: NUM WORD ;\n' > words.y
fails 2 gimlet grammar enumerate words.y numbers.l 2> log.txt
grep -q 'every sentence has a token that nobody knows a text for: WORD' log.txt
# What is no text is no command for the terminal either.
printf '%%%%\ns: \033[2J\001 ;\n' > garbage.y
fails 1 gimlet grammar check garbage.y > check.txt
lacks "$(printf '\033')" cat check.txt
grep -q 'x1b' check.txt
cp calc.y calc.y.in
cp calc.l calc.l.in
printf '1+1' | gimlet grammar validate calc.y.in calc.l.in
cp calc.y calc.what
fails 2 gimlet grammar show calc.what 2> log.txt
grep -q 'hint: names end in .y' log.txt
fails 2 gimlet grammar show nowhere.y 2> log.txt
fails 2 gimlet grammar show --start '"number"' calc.y 2> log.txt
grep -q 'is a token' log.txt

# A sentence that begins as it is told, or why there is none.
same "$(gimlet grammar complete --tokens calc.y '(' NUM)" "'(' NUM ')'"
same "$(gimlet grammar complete --tokens calc.y '(' '!NUM')" "'(' WORD ')'"
same "$(gimlet grammar complete --tokens --min-len 4 calc.y NUM,WORD . =1)" "NUM '+' NUM '+' NUM"
same "$(gimlet grammar complete --tokens -n 3 calc.y WORD $)" WORD
fails 1 gimlet grammar complete calc.y NUM NUM 2> why.txt
grep -q "after NUM only '+', '\*' or the end can follow, and token 2 is to be NUM" why.txt
fails 2 gimlet grammar complete calc.y NUMB 2> why.txt
grep -q 'there is no token NUMB' why.txt
