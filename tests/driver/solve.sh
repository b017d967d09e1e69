# String constraints in the language of HAMPI are solved, and answers proved.
cat > paper.hmp << 'EOC'
/* The example of the paper. */
var v : 2;
cfg E := "()" | E E | "(" E ")";
reg Efixed := fixsize(E, 6);
val q := concat("((", v, "))");
assert q in Efixed;
assert q contains "())";
EOC
same "$(gimlet solve paper.hmp)" '{VAR(v)=)(}'
same "$(gimlet solve - < paper.hmp)" '{VAR(v)=)(}'
sed 's/6)/8)/' paper.hmp > none.hmp
fails 1 gimlet solve none.hmp > none.txt
same "$(cat none.txt)" UNSAT
fails 1 gimlet solve paper.hmp none.hmp > both.txt
same "$(cat both.txt)" "$(printf 'paper.hmp: {VAR(v)=)(}\nnone.hmp: UNSAT')"
gimlet solve --json paper.hmp | grep -q '"values":\[\[41,40\]\]'

# All values of a range of sizes, each once.
sed 's/: 2/: 1 .. 4/; s/assert q in Efixed/assert q in E/' paper.hmp > range.hmp
gimlet solve --all 100 range.hmp > all.txt
same "$(wc -l < all.txt)" "$(sort -u all.txt | wc -l)"
grep -qx '{VAR(v)=()()}' all.txt
grep -qx '{VAR(v)=)(}' all.txt
gimlet solve --stats --all 2 range.hmp 2> stats.txt | wc -l | grep -qx 2
grep -q 'SAT by a chart in' stats.txt

# Proofs are checked by themselves, and hold for their own problem alone.
gimlet solve --certificate sat.json paper.hmp > /dev/null
gimlet solve --check sat.json paper.hmp | grep -qx 'proved: there is a value'
fails 1 gimlet solve --check sat.json none.hmp | grep -q '^not proved'
sed 's/contains "())"/contains "(((("/' paper.hmp > odd.hmp
fails 1 gimlet solve --certificate unsat.json odd.hmp > /dev/null
gimlet solve --check unsat.json odd.hmp | grep -qx 'proved: there is no value'
fails 1 gimlet solve --check unsat.json paper.hmp > /dev/null
python3 - << 'EOC'
import json
proof = json.load(open("unsat.json"))
proof["entries"].pop(len(proof["entries"]) // 2)
json.dump(proof, open("less.json", "w"))
EOC
fails 1 gimlet solve --check less.json odd.hmp > check.txt
grep -q '^not proved: ' check.txt

# Two grammars, one that is excluded, and a variable that stands twice take another way.
cat > both.hmp << 'EOC'
var v : 2 .. 8;
cfg A := "a" A "b" | "ab";
cfg B := "aa" B | "bb" | "bb" B;
val twice := concat(v, v);
cfg D := "ab" D | ;
assert v in A;
assert v in B;
assert twice not in D;
EOC
same "$(gimlet solve both.hmp)" '{VAR(v)=aabb}'
gimlet solve --stats both.hmp 2>&1 > /dev/null | grep -q 'by propositional logic'
gimlet solve --certificate both.json both.hmp > /dev/null
gimlet solve --check both.json both.hmp | grep -qx 'proved: there is a value'

# Errors have a place and a hint.
refuse() {
    printf '%s\n' "$1" > bad.hmp
    fails 2 gimlet solve bad.hmp > out.txt 2> error.txt
    grep -q -e "$2" error.txt || { cat error.txt >&2; return 1; }
    same "$(cat out.txt)" ''
}
refuse 'var v : 2' 'bad.hmp:2:1: error: `;` is expected, not the end of the file'
refuse 'var v : 0;' 'bad.hmp:1:9: error: a variable has at least one byte'
refuse 'var v : 1000000;' 'bad.hmp:1:9: error: this size is more'
refuse 'var v : 2; var w : 2;' 'there is more than one variable'
refuse 'var v : 2; cfg Expr := "a"; assert v in Exp;' 'hint: is `Expr` meant?'
fails 2 gimlet solve missing.hmp 2> error.txt
grep -q 'cannot read missing.hmp' error.txt
# A grammar without strings, and one that is too large to think of.
printf 'var v : 3; cfg S := S "a"; assert v in S;' > empty.hmp
fails 1 gimlet solve empty.hmp | grep -qx UNSAT
printf 'var v : 100000; cfg S := "a" S | S S | "a"; assert v in S;' > huge.hmp
fails 2 gimlet solve huge.hmp 2> error.txt | grep -qx UNKNOWN
grep -q 'choose a smaller size' error.txt
