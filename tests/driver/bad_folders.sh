# Folders of seeds and of results that are not as they should be: what is wrong is said, and nothing is lost.
cat > calc.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int sum = 0, others = 0, c;
    while ((c = getchar()) != EOF) {
        if (c >= '0' && c <= '9')
            sum = sum * 10 + c - '0';
        else if (c == '+')
            sum++;
        else if (c == '/' && sum == 7)
            abort();
        else
            others++;
        if (sum > 50)
            sum -= 50;
    }
    return sum == 33 ? 5 : others > 3;
}
EOC
gimlet-cc -O1 -o calc calc.c
run() {
    gimlet run "$@" > log.txt 2> log.err || [ $? -eq 10 ]
}

# Seeds that are no use are named; the others are taken.
mkdir seeds
printf '12+' > seeds/good
truncate -s 1G seeds/huge
ln -s nowhere seeds/dangling
mkfifo seeds/pipe
( ulimit -v 17200000000; run -i seeds -o mixed --steps 20 -- ./calc )
grep -q 'seed seeds/huge is left out: it is larger than 16 MiB: --max-input' log.err
grep -q 'seed seeds/dangling is left out: No such file' log.err
grep -q 'seed seeds/pipe is left out: it is no file' log.err
grep -q '3 of 4 seeds are left out' log.err
grep -qx '12+' mixed/queue/id:000000,*
rm seeds/good
fails 2 gimlet run -i seeds -o none -- ./calc 2> log.err
grep -q 'none of the seeds in seeds can be read' log.err
test ! -e none
# A pipe that the user names is a seed.
run -i <(printf '41+') -o piped --steps 1 -- ./calc
grep -qx '41+' piped/queue/id:000000,*
# Of many bad ones only the first are named.
for number in $(seq 30); do ln -s nowhere "seeds/bad$number"; done
printf '12+' > seeds/good
run -i seeds -o mixed2 --steps 1 -- ./calc
same 10 "$(grep -c 'is left out: ' log.err)"
grep -q '33 of 34 seeds are left out' log.err
# The results of a search are seeds of the next.
run -i mixed -o again --steps 1 -- ./calc
grep -q 'mixed is a folder of results: its tests are the seeds' log.err
[ -n "$(ls again/queue)" ]
same "" "$(find again/queue -mindepth 1 -type d)"
# What belongs to somebody else stays as it is.
fails 2 gimlet run -o seeds --steps 1 -- ./calc 2> log.err
grep -q 'seeds is not empty, and no folder of results' log.err
test ! -e seeds/queue
# An empty store is none.
: > again/.gimlet/store.sqlite
fails 2 gimlet stats again 2> log.err
grep -q 'it is empty' log.err
run --resume -o again --steps 1
grep -q 'there is nothing in again/.gimlet/store.sqlite: the search begins with the tests' log.err

# Very many are counted first; the tests have all that they do.
mkdir many
for number in $(seq 2000); do printf '%d+%d' "$((number % 90))" "$((number % 7))" > "many/$number"; done
printf '7/' > many/crash
printf '33' > many/only
run -i many -o chosen --strategy mutation --steps 1 --summary chosen.json -- ./calc
grep -q 'there are 2002 seeds' log.err
n_chosen=$(sed -n 's/.*: \([0-9]*\) of 2002 seeds are chosen; the others do nothing new/\1/p' log.err)
[ "$n_chosen" -gt 2 ] && [ "$n_chosen" -lt 100 ]
run -i many -o chosen2 --strategy mutation --steps "$n_chosen" -- ./calc
grep -qlx '33' chosen2/queue/*
grep -qlx '7/' chosen2/crashes/*
# The same every time.
run -i many -o chosen3 --strategy mutation --steps "$n_chosen" -- ./calc
diff <(cat chosen2/queue/* | sha256sum) <(cat chosen3/queue/* | sha256sum)

# A store of a version to come is left alone.
run -o newer --steps 30 -- ./calc
printf '\x7f' | dd of=newer/.gimlet/store.sqlite bs=1 seek=63 conv=notrunc status=none
cp newer/.gimlet/store.sqlite before.sqlite
fails 2 gimlet run --resume -o newer 2> log.err
grep -q 'hint: go on with that version' log.err
cmp before.sqlite newer/.gimlet/store.sqlite

# A folder that must not be written from some time on: the end is clear, what was found is there, and it can go on.
if bwrap --dev-bind / / --cap-drop ALL true; then
    bwrap --dev-bind / / --cap-drop ALL --chdir "$PWD" bash -c '
        gimlet run --no-sandbox -o readonly --max-len 64 -- ./calc > readonly.txt 2>&1 &
        until [ "$(ls readonly/queue 2> /dev/null | wc -l)" -gt 3 ]; do sleep 0.1; done
        chmod a-w readonly readonly/queue readonly/crashes readonly/.gimlet readonly/.gimlet/*
        wait $!' || status=$?
    same 3 "${status-0}"
    grep -q 'cannot write .*Permission denied' readonly.txt
    grep -q 'hint: is there room, and may you write there' readonly.txt
    chmod -R u+w readonly
    ls readonly/queue > before.txt
    run --resume -o readonly --steps 100
    same "" "$(comm -23 before.txt <(ls readonly/queue))"
else
    echo "skipped: a read-only folder, because bwrap does not work here"
fi
