# Of each direction of each branch: the first test that took it, or why none did; the same from the search and from its
# folder, by several workers, and after it was taken up.
cat > probe.c << 'EOC'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int never(int x)
{
    if (x > 3)
        return 1;
    return 2;
}
int main(int argc, char **argv)
{
    unsigned char buf[8] = { 0 };
    int seen = 0;
    size_t n = fread(buf, 1, 8, stdin);
    if (argc > 5)
        return never(argc);
    if (n < 4)
        return 1;
    if (buf[0] == 'x')
        seen = 1;
    if (seen == 2)
        puts("constant");
    double d = buf[1] * 1.5; if (d == 1000.0)
        puts("float");
    if (buf[5] > 100)
        if (buf[5] + buf[6] < 50)
            puts("impossible");
    unsigned word = buf[0] | buf[1] << 8 | buf[2] << 16 | (unsigned)buf[3] << 24;
    if ((word ^ (unsigned)getpid() * 2654435761u) == 7)
        puts("diverges");
    switch (buf[4]) {
    case 'a': puts("a"); break;
    case 'b': puts("b"); break;
    }
    return 0;
}
EOC
gimlet-cc -O1 -o probe probe.c
printf 'abcdefgh' > seed

# What a summary says of a direction: reached or not, the test, the reason.
cat > says.py << 'EOP'
import json, sys
name, line, direction = sys.argv[1:]
for branch in json.load(open(name))["branches"]:
    for it in branch["directions"]:
        if (str(branch["line"]), it["name"]) == (line, direction):
            assert it["reached"] == (it["reason"] is None) == (it["explanation"] is None)
            print(it["test"] if it["reached"] else it["reason"], it["verdict"])
EOP
# What the search says of itself is what its folder says.
agree() {
    gimlet stats --json --branches "$2" > stats.json
    python3 - "$1" stats.json << 'EOP'
import json, sys
own, read = (json.load(open(name)) for name in sys.argv[1:])
assert own["branches"]
for mine, theirs in zip(own["branches"], read["branches"]):
    assert mine == theirs, (mine, theirs)
assert own["branches"] == read["branches"]
EOP
}
# What is covered is what is reached, and has a test.
covers() {
    python3 - "$1" << 'EOP'
import json, sys
own = json.load(open(sys.argv[1]))
taken = [it for branch in own["branches"] for it in branch["directions"] if it["reached"]]
assert len(taken) == own["coverage"]["branches_covered"], (len(taken), own["coverage"])
assert all(it["test"] for it in taken), taken
EOP
}

gimlet run -i seed -o out --steps 300 --summary first.json -- ./probe > log.txt
agree first.json out
covers first.json
same "queue/id:000000 None" "$(python3 says.py first.json 15 false)"
ls out/queue/id:000000,* > log.txt
python3 says.py first.json 31 'case 97' | grep -q '^queue/id:00.* '
same "never-visited None" "$(python3 says.py first.json 6 true)"
same "not-dependent None" "$(python3 says.py first.json 21 true)"
same "lost None" "$(python3 says.py first.json 23 true)"
same "impossible unsat" "$(python3 says.py first.json 26 true)"
same "diverged sat" "$(python3 says.py first.json 29 true)"

# The same for people.
gimlet stats --branches out > text.txt
grep -q '^probe.c: .* of .* directions taken$' text.txt
grep -q '^  never: no run came to any of its branches (2 directions)$' text.txt
grep -q '^    15:9 .* true .* the condition did not depend on the input ' text.txt
grep -q '^    23:.* true .* lost there: floating-point operation at probe.c:23' text.txt
grep -q '^    26:13 .* true .* impossible on .* path.* (unsat)$' text.txt
grep -q '^    29:.* true .* went elsewhere (divergence)$' text.txt
lacks '^    17:' cat text.txt
lacks '"branches": \[' gimlet stats --json out

# Nobody has been asked about what waits, and nobody says that it does not depend on the input.
gimlet run -i seed -o begun --steps 1 --summary begun.json -- ./probe > log.txt
agree begun.json begun
same "waiting None" "$(python3 says.py begun.json 31 'case 97')"
gimlet run -i seed -o mutants --strategy mutation --steps 40 --summary mutants.json -- ./probe > log.txt
agree mutants.json mutants

# Taken up, what is known stays, and more comes to it; so it is after a kill.
gimlet run --resume -o begun --steps 300 --summary again.json > log.txt
agree again.json begun
same "$(python3 says.py begun.json 31 default)" "$(python3 says.py again.json 31 default)"
# By then it may have been asked on another path, with another answer.
same diverged "$(python3 says.py again.json 29 true | cut -d ' ' -f 1)"
gimlet run --resume -o out --steps 20 --summary again.json > log.txt
agree again.json out
covers again.json
for direction in "15 false" "26 true" "31 default" "21 true"; do
    # shellcheck disable=SC2086
    same "$(python3 says.py first.json $direction)" "$(python3 says.py again.json $direction)"
done
gimlet run --jobs 2 -i seed -o team --budget 2s --summary team.json -- ./probe > log.txt
agree team.json team
gimlet run -i seed -o killed -- ./probe > /dev/null 2>&1 &
pid=$!
sleep 0.5
kill -KILL "$pid"
wait "$pid" 2> /dev/null || true
gimlet run --resume -o killed --steps 20 --summary killed.json > log.txt
agree killed.json killed

# A folder of an earlier version knows nothing of branches, and learns it when it is taken up.
cp -r out earlier
python3 -c 'import sqlite3; sqlite3.connect("earlier/.gimlet/store.sqlite").execute("DROP TABLE branches")'
gimlet stats --branches earlier | grep -q 'are not known'
gimlet run --resume -o earlier --steps 20 --summary earlier.json > log.txt
agree earlier.json earlier
same "not-dependent None" "$(python3 says.py earlier.json 21 true)"

# Without PROG.edges only branches that depend on the input are known.
rm -f probe.edges probe.memory
gimlet run -i seed -o bare --steps 100 --summary bare.json -- ./probe > log.txt
gimlet stats --json --branches bare > stats.json
python3 says.py stats.json 31 'case 97' | grep -q '^queue/id:00'
same "" "$(python3 says.py stats.json 21 true)$(python3 says.py stats.json 6 true)"
