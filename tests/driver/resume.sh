# A search goes on where it was stopped, however that was, and asks nothing twice; what is in the way is said.
cat > calc.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
static int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
int main(void)
{
    int sum = 0, others = 0, c;
    while ((c = getchar()) != EOF) {
        if (c >= '0' && c <= '9')
            sum = sum * 10 + c - '0';
        else if (c == '+')
            sum++;
        else if (c == '*')
            sum = table[sum & 7];
        else if (c == '/' && sum == 7)
            abort();
        else
            others++;
        if (sum > 50)
            sum -= 50;
    }
    switch (sum) {
    case 1: return 1;
    case 12: return 2;
    case 33: return 5;
    default: return others;
    }
}
EOC
gimlet-cc -O1 -o calc calc.c

# Inputs of tests or findings, whatever they are called.
contents() {
    find "$@" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort
}
# A figure of a summary.
figure() {
    sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1
}
# A search in the background ends as one that was stopped, or that found something.
ended() {
    local status=0
    wait "$1" || status=$?
    case $status in 0 | 10 | 143) ;; *) echo "ended with $status" >&2; return 1 ;; esac
}
# The search goes on, with findings or without.
resume() {
    gimlet run --resume "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}

# In one go, and in pieces: the same tests, the same findings, the same number of questions.
gimlet run -o whole --strategy dfs --len 3 --summary whole.json -- ./calc > log.txt 2>&1 || [ $? -eq 10 ]
grep -q '^exhausted' log.txt
gimlet run -o pieces --strategy dfs --len 3 --steps 40 -- ./calc > log.txt 2>&1 || [ $? -eq 10 ]
n_pieces=1
until grep -q '^exhausted' log.txt; do
    # Another environment and another folder make no difference.
    FURTHER=$n_pieces$n_pieces$n_pieces resume -o "$PWD/pieces" --steps 40 --summary pieces.json
    n_pieces=$((n_pieces + 1))
    [ "$n_pieces" -lt 50 ]
done
[ "$n_pieces" -gt 4 ]
diff <(contents whole/queue) <(contents pieces/queue)
diff <(contents whole/crashes) <(contents pieces/crashes)
for name in paths tests flips total sat unsat; do
    same "$name $(figure whole.json $name)" "$name $(figure pieces.json $name)"
done

# Stopped as by Ctrl-C; the clock and the counters go on.
gimlet run -o stopped --strategy generational --max-len 64 -- ./calc > log.txt 2>&1 &
pid=$!
until [ "$(ls stopped/queue 2> /dev/null | wc -l)" -gt 5 ]; do sleep 0.1; done
kill -TERM "$pid"
ended "$pid"
ls stopped/queue > before.txt
resume -o stopped --steps 100 --summary stopped.json
[ "$(figure stopped.json executions)" -gt 100 ]
ls stopped/queue > after.txt
same "" "$(comm -23 before.txt after.txt)"
same "" "$(contents stopped/queue | uniq -d)"

# kill -9 at any time: what could be seen is there.
gimlet run -o killed --max-len 64 -- ./calc > log.txt 2>&1 &
for delay in 0.05 0.3 0.9 0.2 0.6 $(is_all && echo 0.4 1.1 0.1 0.7 0.5); do
    pid=$!
    sleep "$delay"
    ls killed/queue killed/crashes > before.txt 2> /dev/null || true
    kill -KILL "$pid"
    wait "$pid" 2> /dev/null || true
    gimlet run --resume -o killed --max-len 64 -- ./calc > log.txt 2>&1 &
done
kill -TERM $!
ended $!
resume -o killed --steps 1
ls killed/queue killed/crashes > after.txt
same "" "$(comm -23 <(sort before.txt) <(sort after.txt))"
same "" "$(contents killed/queue | uniq -d)"
same "" "$(find killed/queue -name 'id:*' -size 0 | sed 1d)"

# A test that is gone comes back, one that somebody put there is taken in, and both keep their content.
cp -r stopped/queue queue.before
rm stopped/queue/id:000003,*
: > "$(echo stopped/queue/id:000002,*)"
printf '7/' > stopped/queue/mine
resume -o stopped --steps 1
diff -r queue.before stopped/queue | grep -v '^Only in stopped/queue: id:' > differences.txt || true
same "Only in stopped/queue: mine" "$(cat differences.txt)"
resume -o stopped --steps 60
same 1 "$(grep -lx '7/' -r stopped/queue | wc -l)"

# Without --resume the results stay.
fails 2 gimlet run -o stopped -- ./calc 2> log.txt
grep -q 'holds the tests of an earlier run' log.txt
grep -q -e '--resume goes on' log.txt

# Somebody uses it.
gimlet run --resume -o stopped > /dev/null 2>&1 &
pid=$!
sleep 1
fails 2 gimlet run --resume -o stopped 2> log.txt
grep -q "used by process $pid" log.txt
fails 2 gimlet run -o stopped -- ./calc 2> log.txt
grep -q "used by process $pid" log.txt
kill -TERM "$pid"
ended "$pid"

# Other arguments, another program, nothing at all.
fails 2 gimlet run --resume -o stopped -- ./calc more 2> log.txt
grep -q 'another command: .*/calc$' log.txt
gimlet-cc -o other main.c twice.c
fails 2 gimlet run --resume -o stopped -- ./other 2> log.txt
grep -q 'tests of another program' log.txt
fails 2 gimlet run --resume -o nothing 2> log.txt
grep -q 'cannot read nothing/gimlet.json' log.txt

# Another build: the tests are run again and keep their numbers.
ls stopped/queue > before.txt
sed -i 's/sum = sum \* 10/sum = sum * 9/; s/sum == 7/sum == 8/' calc.c
gimlet-cc -O1 -o calc calc.c
resume -o stopped --steps 300
grep -q 'another build of the program' log.txt
same "" "$(comm -23 before.txt <(ls stopped/queue))"

# A damaged store is no reason to lose tests.
ls stopped/queue > before.txt
head -c 8192 /dev/zero | tr '\0' x | dd of=stopped/.gimlet/store.sqlite bs=4096 seek=1 conv=notrunc status=none
fails 2 gimlet run --resume -o stopped 2> log.txt
grep -q 'store.sqlite is damaged' log.txt
grep -q 'store.damaged' log.txt
mv stopped/.gimlet/store.sqlite stopped/.gimlet/store.damaged
resume -o stopped --steps 300
grep -q 'begins with the tests that are there' log.txt
same "" "$(comm -23 before.txt <(ls stopped/queue))"
same "" "$(contents stopped/queue | uniq -d)"

# A full disk and a disk that must not be written: the end is clear, and nothing is lost.
mkdir small
inside() {
    bwrap --dev-bind / / "$@"
}
inside --size 400000 --tmpfs "$PWD/small" --chdir "$PWD" bash -c '
    gimlet run --no-sandbox -o small/out --max-len 64 -- ./calc > full.txt 2>&1
    status=$?
    cp -r small/out full
    exit $status' || [ $? -eq 3 ]
grep -q 'cannot write' full.txt
grep -q 'hint: is there room' full.txt
contents full/queue > before.txt
[ -s before.txt ]
resume -o full --steps 50
same "" "$(comm -23 before.txt <(contents full/queue))"
fails 3 inside --ro-bind "$PWD/full" "$PWD/full" --chdir "$PWD" gimlet run --no-sandbox --resume -o full 2> log.txt
grep -q 'cannot write .*Read-only' log.txt
