# A budget and a signal are kept, whatever is being done, and what was given is kept, too.
cat > long.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int c, depth = 0, lines = 0;
    unsigned sum = 0;
    while ((c = getchar()) != EOF) {
        if (c == '{')
            depth++;
        else if (c == '}')
            depth--;
        else if (c == '\n')
            lines++;
        sum = sum * 31 + c;
        if (depth > 100000)
            abort();
    }
    printf("%d %d %u\n", depth, lines, sum);
    return 0;
}
EOF
gimlet-cc -g -O1 -o long long.c
python3 -c "
import random
random.seed(1)
print(''.join(random.choice('{}ab \n,:\"x') for _ in range(3 << 20)), end='')" > seed
# The least milliseconds that a command takes in three tries, or the first that are few enough: a busy machine makes one slow.
took() {
    local most=$1 start ms least=1000000
    shift
    for _ in 1 2 3; do
        rm -rf out
        start=$(date +%s%N)
        "$@" > log.txt 2>&1
        ms=$((($(date +%s%N) - start) / 1000000))
        least=$((ms < least ? ms : least))
        [ "$least" -ge "$most" ] || break
    done
    echo "$least"
}
# A budget is kept within a second, by one worker and by two, whether the whole seed is followed or its beginning; following
# and giving up three megabytes may take another second where there is not much of a machine.
for options in "" "--jobs 2" "--max-followed 4000000" "--jobs 2 --max-followed 4000000"; do
    most=3000
    case $options in *followed*) most=4000 ;; esac
    # shellcheck disable=SC2086
    ms=$(took $most gimlet run --no-ui --max-input 4000000 $options -i seed --budget 2s -o out -- ./long)
    [ "$ms" -lt $most ] || { echo "a budget of 2 s took $ms ms ($options)" >&2; exit 1; }
    grep -q 'the time is over' log.txt
    cmp seed "$(ls out/queue/id:000000* | head -n 1)"
done
rm -rf out
gimlet run --no-ui --max-input 4000000 -i seed --budget 1s -o out -- ./long > log.txt 2>&1
grep -q 'a seed has 3145728 bytes: it is run, but only its first 16384 bytes are followed' log.txt
for signal in INT TERM; do
    rm -rf out
    env --default-signal=INT,TERM gimlet run --no-ui --max-input 4000000 --max-followed 4000000 -i seed -o out -- ./long > log.txt 2>&1 &
    search=$!
    sleep 1.5
    start=$(date +%s%N)
    kill -$signal $search
    wait $search || [ $? -gt 128 ]
    ms=$((($(date +%s%N) - start) / 1000000))
    [ "$ms" -lt 2500 ] || { echo "$signal took $ms ms" >&2; exit 1; }
    grep -q 'results are kept' log.txt
    cmp seed "$(ls out/queue/id:000000* | head -n 1)"
done
# A search that is killed while it follows its only seed has saved it.
rm -rf out
gimlet run --no-ui --max-input 4000000 --max-followed 4000000 -i seed -o out -- ./long > log.txt 2>&1 &
search=$!
sleep 1.5
kill -KILL $search
wait $search || [ $? -eq 137 ]
[ -z "$(ls out/queue)" ]
mv seed given
gimlet run --no-ui --max-input 4000000 --resume --budget 1s -o out -- ./long > log.txt 2>&1
cmp given "$(ls out/queue/id:000000* | head -n 1)"
