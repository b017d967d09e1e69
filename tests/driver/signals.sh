# A search that a script started in the background, where shells ignore SIGINT, ends by it and keeps what it has.
cat > calc.c << 'EOC'
#include <stdio.h>
int main(void)
{
    int sum = 0, c;
    while ((c = getchar()) != EOF)
        sum = c == '+' ? sum + 1 : sum * 3 + c;
    return sum == 1234567;
}
EOC
gimlet-cc -O1 -o calc calc.c
for signal in INT TERM; do
    env --ignore-signal=INT gimlet run -o "out.$signal" --strategy mutation --budget 60s -- ./calc > "log.$signal" 2>&1 &
    until [ -e "out.$signal/fuzzer_stats" ]; do sleep 0.1; done
    kill -"$signal" $!
    status=0
    timeout 20 tail --pid=$! -f /dev/null
    wait $! || status=$?
    same 0 "$status"
    grep -q 'stopped; results are kept' "log.$signal"
    [ -n "$(ls "out.$signal/queue")" ]
done
# nohup is for a terminal that goes away.
env --ignore-signal=HUP gimlet run -o out.HUP --strategy mutation --budget 3s -- ./calc > log.HUP 2>&1 &
until [ -e out.HUP/fuzzer_stats ]; do sleep 0.1; done
kill -HUP $!
wait $!
grep -q 'the time is over' log.HUP
