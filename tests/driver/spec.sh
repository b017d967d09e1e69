# A search from a spec makes the same tests as the command line, from any folder; what is wrong with a spec is told.
mkdir -p project/seeds elsewhere
cat > project/calc.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[24];
    int n_words = 0;
    FILE *file = fopen(argv[argc - 1], "r");
    if (!file)
        return 9;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok(line, " ,"); word; word = strtok(NULL, " ,"))
            if (strcmp(word, getenv("WORD") ? getenv("WORD") : "stop") == 0)
                abort();
            else
                n_words += atoi(word) > 12 ? 2 : 1;
    }
    return n_words % 3;
}
EOC
gimlet-cc -O1 -o project/calc project/calc.c
printf 'one 2,three\n4 5\n' > project/seeds/first
printf 'word="stop"\n' > project/words
root=$PWD

# Tests and findings with their content; of a name all but the time counts.
listed() {
    (cd "$1" && find queue crashes hangs -type f -exec sha256sum {} + | sed 's/time:[0-9]*/time/' | sort)
}
search() {
    gimlet run "$@" > "$root/log.txt" 2>&1 || [ $? -eq 10 ] || { cat "$root/log.txt" >&2; return 1; }
}

# Options, a spec that was printed, and one that was written by hand, each from another folder.
cd project
options=(-i seeds -x words --seed 7 --steps 1500 --max-len 24 --timeout 800ms --env WORD=halt)
search "${options[@]}" -o "$root/by-options" -- ./calc -v @@
gimlet run "${options[@]}" -o ../by-print --print-spec -- ./calc -v @@ > printed.toml
gimlet run "${options[@]}" -o ../by-file --print-spec=../elsewhere/written.toml -- ./calc -v @@ > out.txt
same "" "$(cat out.txt)"
[ ! -e ../by-print ] && [ ! -e ../by-file ]
cat > hand.toml << 'EOT'
version = 1
[program]
path = "calc"
args = ["-v", "@@"]
[input]
env = [{ name = "WORD", value = "halt" }]
[limits]
timeout = "800ms"
[strategy]
seed = 7
max_len = 24
[seeds]
paths = ["seeds"]
dictionaries = ["words"]
[stop]
steps = 1500
[output]
folder = "../by-hand"
EOT
cd ../elsewhere
search --spec ../project/printed.toml
search --spec written.toml
cd /
search --spec "$root/project/hand.toml"
cd "$root"
[ "$(ls by-options/queue | wc -l)" -gt 3 ]
for folder in by-print by-file by-hand; do
    diff <(listed by-options) <(listed $folder)
done
grep -q '^path = "calc"$' project/printed.toml
grep -q '^path = "../project/calc"$' elsewhere/written.toml

# Options on top, and the spec of a folder of results.
search --spec project/hand.toml --seed 8 --steps 200 -o on-top
grep -q '200 runs' log.txt
grep -q '"seed": 8' on-top/gimlet.json
search --spec by-options/gimlet.json -o again
diff <(listed by-options) <(listed again)

# Going on takes the spec that is there.
search --resume --spec project/hand.toml --steps 100 -o on-top
grep -q '"seed": 7' on-top/gimlet.json
search --resume -o on-top --steps 100
grep -q '"WORD"' on-top/gimlet.json

# The whole project elsewhere, its results included.
mkdir moved
cp -r project by-hand moved
rm -r project
gimlet stats moved/by-hand > stats.txt
grep -q "moved/project/calc" stats.txt
rm -r moved/by-hand
search --spec moved/project/hand.toml
diff <(listed by-options) <(listed moved/by-hand)

# A folder of an earlier version.
cat > moved/by-hand/gimlet.json << EOJ
{ "version": 1, "program": "$root/moved/project/calc", "args": ["-v", "@@"], "primary": "file",
  "sources": [{ "kind": 7, "name": "\$WORD", "bytes": "68616c7400000000000000000000000000000000" },
              { "kind": 2, "name": "file", "bytes": "" }],
  "files": [], "strategy": "hybrid", "seed": 7, "max_len": 24, "longest_seed": 16, "seeds": 1, "jobs": 1,
  "dictionaries": [], "timeout_ms": 800, "memory_mib": 2048 }
EOJ
gimlet stats moved/by-hand | grep -q "hybrid, seed 7"
gimlet replay moved/by-hand > replay.txt || [ $? -eq 10 ]
search --resume -o moved/by-hand --steps 50
grep -q '"version": 2' moved/by-hand/gimlet.json

# What is wrong.
refused() {
    local expected=$1
    shift
    fails 2 gimlet run "$@" > log.txt 2>&1
    grep -qF -e "$expected" log.txt || { echo "not told: $expected" >&2; cat log.txt >&2; return 1; }
}
spec() {
    printf '%s\n' "$@" > bad.toml
}
program="program = { path = \"moved/project/calc\", args = [\"@@\"] }"
refused 'cannot read none.toml' --spec none.toml -o out
spec "$program"; refused 'bad.toml: it does not say its version: version = 1' --spec bad.toml -o out
spec 'version = 7'; refused 'bad.toml: it is of version 7, and this gimlet reads 1' --spec bad.toml -o out
spec 'version = 1' "$program" '[stop]' 'bugdet = "3s"'; refused 'bad.toml:4: stop' --spec bad.toml -o out
grep -q bugdet log.txt
spec 'version = 1' "$program" '[stop]' 'budget = "3x"'; refused "bad.toml:4: stop.budget: 'x' is no unit of time" --spec bad.toml -o out
spec 'version = 1' "$program" '[team]' 'jobs = 0'; refused 'team.jobs: a number of processes, 1 or more' --spec bad.toml -o out
spec 'version = 1' "$program"; refused 'bad.toml names no folder for the results' --spec bad.toml
spec 'version = 1'; refused 'no program' --spec bad.toml -o out
spec 'version = 1' "program = { path = \"moved/project/calc\", builds = { edges = \"0123456789abcdef\" } }"
refused 'its edges build is not the one that the spec is of' --spec bad.toml -o out
[ ! -e out ]
