# A disk that is full: the same exit status with a summary and without, nothing half-written, and the search can go on.
cat > calc.c << 'EOC'
#include <stdio.h>
int main(void)
{
    int sum = 0, c;
    while ((c = getchar()) != EOF)
        sum = c == '+' ? sum + 1 : sum * 3 + c % 7;
    return sum == 1234567 ? 1 : sum > 99 ? 2 : sum > 9 ? 3 : 0;
}
EOC
gimlet-cc -O1 -o calc calc.c
# /dev/full takes nothing: the status is that of a full disk, whoever writes there.
fails 3 gimlet run -o one --steps 5 --summary /dev/full -- ./calc > log.txt 2>&1
grep -q 'gimlet: error: cannot write /dev/full: No space left' log.txt
fails 3 gimlet cov --lcov /dev/full one > log.txt 2>&1

if ! bwrap --dev-bind / / --size 1000000 --tmpfs /mnt true; then
    echo "skipped: a small disk, because bwrap does not work here"
    exit 0
fi
# A search whose store is on a small disk fills it.
head -c 300000 /dev/zero > seed
small() { # SIZE SCRIPT
    bwrap --dev-bind / / --size "$1" --tmpfs /mnt --chdir "$PWD" bash -c "$2"
}
for summary in "" "--summary /mnt/summary.json"; do
    rm -rf kept
    small 2000000 "head -c 1200000 /dev/zero > /mnt/ballast
        gimlet run --no-sandbox -i calc.c -i calc -i seed --strategy mutation --budget 20s $summary -o /mnt/out -- ./calc > full.txt 2> full.err
        echo \$? > full.status
        cp -r /mnt kept"
    same 3 "$(cat full.status)"
    grep -q 'gimlet: error: .*\(No space left\|disk is full\)' full.err || { cat full.err; exit 1; } >&2
    # Either none, or all of it.
    [ ! -e kept/summary.json ] || same "}" "$(tail -n 1 kept/summary.json)"
    same "" "$(find kept -name '*unfinished*')"
    same "" "$(find kept/out/queue -size 0)"
done
