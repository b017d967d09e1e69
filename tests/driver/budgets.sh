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
# Milliseconds that a command takes, whose status is 0.
took() {
    local start
    start=$(date +%s%N)
    "$@" > log.txt 2>&1
    echo $((($(date +%s%N) - start) / 1000000))
}
for options in "" "--max-followed 4000000"; do
    rm -rf out
    # shellcheck disable=SC2086
    ms=$(took gimlet run --no-ui --max-input 4000000 $options -i seed --budget 2s -o out -- ./long)
    [ "$ms" -lt 5000 ] || { echo "a budget of 2 s took $ms ms" >&2; exit 1; }
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
