# The live screen, in a terminal: it shows, it takes keys, and it leaves the terminal as it was.
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

# Bytes of the terminal's language, and keys.
escape=$'\033'
redraw=$'\014'

# Runs a command in a terminal of some size. What it shows is in NAME/shown, its status in NAME/status.
terminal() {
    local name=$1 rows=$2 columns=$3
    mkdir "$name"
    mkfifo "$name/keys"
    cat > "$name/command" << EOC
stty rows $rows cols $columns
tty > $name/tty
stty -g > $name/before
$4
echo \$? > $name/status
stty -g > $name/after
EOC
    # A test may be run by nohup.
    TERM=${TERM:-xterm} LC_ALL=C.UTF-8 env --default-signal=HUP script -qefc "bash $name/command" "$name/shown" < "$name/keys" > /dev/null 2>&1 &
    job=$!
    exec 9> "$name/keys"
}
# Waits until a file has a text.
has() {
    for _ in $(seq 300); do
        grep -qaF -e "$2" "$1" 2> /dev/null && return
        sleep 0.1
    done
    echo "$1 never has $2" >&2
    return 1
}
# Waits for the end, and looks whether the terminal is as it was.
over() {
    exec 9>&-
    for _ in $(seq 300); do
        [ -e "$1/after" ] && break
        sleep 0.1
    done
    wait "$job" || true
    same "$(cat "$1/before")" "$(cat "$1/after")"
}
# What was shown after the screen had gone.
report() {
    sed "s/^.*$escape\[?1049l//" "$1/shown" | tail -n 12
}
figure() {
    sed -n "s/^  \"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1
}
# Runs of the program so far.
runs() {
    gimlet stats --json "$1" > stats.json
    figure stats.json executions
}

export TERM=xterm

# It shows the search, opens a finding, explains itself, and quits with everything kept.
terminal usual 24 80 "gimlet run -o out --strategy mutation -- ./calc"
has usual/shown "$escape[?1049h"
for _ in $(seq 300); do
    ls out/crashes/id:* > /dev/null 2>&1 && break
    sleep 0.1
done
sleep 0.5
printf '%s' "$redraw" >&9
has usual/shown waiting
has usual/shown calc.c:10
printf '\r%s' "$redraw" >&9
has usual/shown id:000000
has usual/shown --stdin
printf '?%s' "$redraw" >&9
has usual/shown counters
# The rest of it comes with the arrow keys.
printf '\033[B\033[B\033[B\033[B%s' "$redraw" >&9
has usual/shown foretold
printf 'q' >&9
over usual
same 10 "$(cat usual/status)"
report usual | grep -q 'stopped; results are kept'
report usual | grep -q 'found abort in main at calc.c:10'
[ "$(ls out/queue | wc -l)" -gt 1 ]
gimlet stats out | grep -q '^state  *interrupted$'

# A pause stops the search and the clock of --budget.
terminal paused 24 80 "gimlet run -o pause --strategy mutation --budget 3s --summary pause.json -- ./calc"
has pause/fuzzer_stats run_time
printf 'p' >&9
sleep 1
before=$(runs pause)
sleep 3
same "$before" "$(runs pause)"
same '"running"' "$(figure stats.json state)"
printf 'p' >&9
sleep 1
[ "$(runs pause)" -gt "$before" ]
over paused
[[ "$(cat paused/status)" =~ ^(0|10)$ ]]
same '"budget"' "$(figure pause.json ended)"
seconds=$(figure pause.json seconds | cut -d. -f1)
[ "$seconds" -ge 3 ] && [ "$seconds" -lt 7 ]
report paused | grep -q 'the time is over'

# Ctrl-C while it is paused.
terminal interrupted 24 80 "gimlet run -o interrupted.out --strategy mutation -- ./calc"
has interrupted.out/fuzzer_stats run_time
printf 'p' >&9
sleep 0.5
printf '\003' >&9
over interrupted
case $(cat interrupted/status) in 0 | 10) ;; *) false ;; esac
report interrupted | grep -q 'stopped; results are kept'

# Small, then large, then small.
terminal sizes 5 10 "gimlet run -o sizes.out --strategy mutation -- ./calc"
has sizes.out/fuzzer_stats run_time
for size in '1 1' '60 200' '24 80' '3 500' '5 10' '40 120'; do
    stty -F "$(cat sizes/tty)" rows "${size% *}" cols "${size#* }"
    sleep 0.2
done
printf '%s' "$redraw" >&9
has sizes/shown domains
printf 'q' >&9
over sizes
report sizes | grep -q 'stopped; results are kept'

# Ctrl-Z, and the shell lets it go on.
terminal stopped 24 80 "set -m; gimlet run -o stopped.out --strategy mutation -- ./calc; fg > /dev/null"
has stopped.out/fuzzer_stats run_time
printf '\032' >&9
sleep 1
printf 'q' >&9
over stopped
case $(cat stopped/status) in 0 | 10) ;; *) false ;; esac
same 2 "$(grep -oaF "$escape[?1049h" stopped/shown | wc -l)"
same 2 "$(grep -oaF "$escape[?1049l" stopped/shown | wc -l)"

# The terminal goes away, at any time: the search ends, and what it found is kept.
for turn in 1 2 $(is_all && echo 3 4 5); do
    terminal gone.$turn 24 80 "exec gimlet run -o gone.out.$turn --strategy mutation -- ./calc"
    has gone.out.$turn/fuzzer_stats run_time
    gimlet stats --json gone.out.$turn > stats.json
    pid=$(figure stats.json pid)
    kill -KILL "$job"
    wait "$job" 2> /dev/null || true
    exec 9>&-
    for _ in $(seq 100); do
        kill -0 "$pid" 2> /dev/null || break
        sleep 0.1
    done
    fails 1 kill -0 "$pid" 2> /dev/null
    gimlet stats --json gone.out.$turn > stats.json
    same '"interrupted"' "$(figure stats.json state)"
    same "$(figure stats.json tests)" "$(ls gone.out.$turn/queue | wc -l)"
done

# Something in it fails: the terminal is as it was.
terminal failed 24 80 "gimlet run -o failed.out --strategy mutation -- ./calc"
has failed.out/fuzzer_stats run_time
gimlet stats --json failed.out > stats.json
kill -ABRT "$(figure stats.json pid)"
over failed
same 134 "$(cat failed/status)"
same 1 "$(grep -oaF "$escape[?1049l" failed/shown | wc -l)"

# No colours.
NO_COLOR=1 terminal grey 24 80 "gimlet run -o grey.out --budget 300ms -- ./calc"
over grey
has grey/shown "$escape[?1049h"
lacks "$escape\[[0-9;]*[34][0-7]m\|$escape\[[0-9;]*[34]8;" cat grey/shown

# No screen: a simple terminal, --no-ui, a pipe.
TERM=dumb terminal dumb 24 80 "gimlet run -o dumb.out --budget 300ms -- ./calc"
over dumb
terminal plain 24 80 "gimlet run --no-ui -o plain.out --budget 300ms -- ./calc"
over plain
terminal piped 24 80 "gimlet run -o piped.out --budget 300ms -- ./calc | cat; gimlet run -o piped2.out --budget 300ms -- ./calc 2> log.txt"
over piped
for name in dumb plain piped; do
    lacks "$escape" cat "$name/shown"
    grep -qa 'the time is over' "$name/shown"
done
