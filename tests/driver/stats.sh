# What a folder says of its search: after its end, while it runs, after a kill; and what is no such folder.
cat > calc.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int sum = 0, others = 0, c;
    while ((c = getchar()) != EOF) {
        if (c >= '0' && c <= '9')
            sum = sum * 10 + c - '0';
        else if (c == '/' && sum == 7)
            abort();
        else
            others++;
    }
    return sum == 1234 ? 1 : others;
}
EOC
gimlet-cc -O1 -o calc calc.c

# A figure of a summary or of --json.
figure() {
    sed -n "s/^  \"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1
}

# After its end: the figures are those of the summary.
printf '7+1' > seed
fails 10 gimlet run -i seed -o out --steps 1000 --summary summary.json -- ./calc > log.txt
gimlet stats out > stats.txt
gimlet stats --json --branches out > stats.json
for name in executions paths tests flips divergences losses seed; do
    same "$name $(figure summary.json "$name")" "$name $(figure stats.json "$name")"
done
# What a search says of itself in the end is what its folder says, field by field.
agree() {
    python3 - "$@" << 'EOP'
import json, sys
own, read = (json.load(open(name)) for name in sys.argv[1:])
assert read.pop("resume").startswith("gimlet run --resume")
assert own["version"] == read["version"] == 1
assert own.keys() == read.keys(), own.keys() ^ read.keys()
for name in own:
    assert own[name] == read[name], (name, own[name], read[name])
EOP
}
agree summary.json stats.json
same '"ended"' "$(figure stats.json state)"
same '"steps"' "$(figure stats.json ended)"
same "$(figure stats.json tests)" "$(ls out/queue | wc -l)"
grep -q "^program  *$PWD/calc\$" stats.txt
grep -q '^state  *ended: all steps were made$' stats.txt
grep -q '^strategy  *hybrid, seed 1$' stats.txt
grep -q '^tests .*: 1 seed, .* havoc' stats.txt
grep -q '^branches .* of .* %$' stats.txt
grep -q '^questions .* sat, .* unsat, 0 unknown$' stats.txt
grep -q 'domains  *answered .* of .* in ' stats.txt
grep -q '^elsewhere  *0 of .* flips$' stats.txt
grep -q '^findings  *1$' stats.txt
grep -q 'found abort in main at calc.c:10 (shown by the plain build): out/crashes/id:' stats.txt
grep -q '^go on with  *gimlet run --resume -o out$' stats.txt

# What it says shows the finding.
command=$(sed -n 's/^  *\(gimlet replay --stdin .*\)$/\1/p' stats.txt)
fails 10 sh -c "$command" 2> log.txt
grep -q 'killed by signal 6' log.txt

# Looking changes nothing, and can be done where nothing can be written.
gimlet stats out > again.txt
same "" "$(diff stats.txt again.txt)"
bwrap --dev-bind / / --ro-bind "$PWD/out" "$PWD/out" --chdir "$PWD" gimlet stats out > again.txt
same "" "$(diff stats.txt again.txt)"
rm -f out/.gimlet/store.sqlite-shm out/.gimlet/store.sqlite-wal
bwrap --dev-bind / / --ro-bind "$PWD/out" "$PWD/out" --chdir "$PWD" gimlet stats out > again.txt
same "" "$(diff stats.txt again.txt)"

# While it runs, and after a kill.
gimlet run -o live --strategy mutation -- ./calc > /dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
    [ -e live/fuzzer_stats ] && break
    sleep 0.1
done
gimlet stats live > stats.txt
grep -q "^state  *running, process $pid\$" stats.txt
lacks '^go on with' cat stats.txt
gimlet stats --json live > before.json
sleep 1
gimlet stats --json live > after.json
same "$pid" "$(figure after.json pid)"
[ "$(figure after.json executions)" -gt "$(figure before.json executions)" ]
kill -KILL "$pid"
wait "$pid" 2> /dev/null || true
gimlet stats live > stats.txt
grep -q '^state  *interrupted$' stats.txt
grep -q 'gimlet run --resume -o live$' stats.txt

# Ended in order, before it is done.
gimlet run --resume -o live > /dev/null 2>&1 &
pid=$!
sleep 1
kill -TERM "$pid"
wait "$pid" || [ $? -eq 10 ]
gimlet stats live > stats.txt
grep -q "^state  *interrupted$" stats.txt

# The same of several workers, and of a search that was taken up.
fails 10 gimlet run -i seed -o team --jobs 2 --budget 3s --summary summary.json -- ./calc > log.txt
gimlet stats --json --branches team > stats.json
agree summary.json stats.json
fails 10 gimlet run --resume -o out --steps 500 --suppress leak --summary summary.json > log.txt
gimlet stats --json --branches out > stats.json
agree summary.json stats.json

# What is no folder of a search, or not one that can be read.
fails 2 gimlet stats nothing 2> log.txt
grep -q 'nothing: no such folder' log.txt
fails 2 gimlet stats calc.c 2> log.txt
grep -q 'calc.c is no folder' log.txt
mkdir empty
fails 2 gimlet stats empty 2> log.txt
grep -q 'does not hold the results of a search' log.txt
grep -q 'hint: name the folder' log.txt
cp -r out newer
printf '\0\0\0\143' | dd of=newer/.gimlet/store.sqlite bs=1 seek=60 conv=notrunc status=none
fails 2 gimlet stats newer 2> log.txt
grep -q 'has format 99, and this version of Gimlet reads format 1' log.txt
cp -r out damaged
head -c 8192 /dev/zero | tr '\0' x | dd of=damaged/.gimlet/store.sqlite bs=4096 seek=1 conv=notrunc status=none
fails 2 gimlet stats damaged 2> log.txt
grep -q 'store.sqlite is damaged' log.txt
cp -r out gone
rm -r gone/.gimlet
fails 2 gimlet stats gone 2> log.txt
grep -q 'no store' log.txt
