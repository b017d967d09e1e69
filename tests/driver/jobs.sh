# Several workers find what one finds, each path once; they end together, and go on together.
cat > bits.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    unsigned char bytes[11];
    unsigned bits = 0;
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    for (int i = 0; i < 11; i++)
        if (bytes[i] > 100 + i)
            bits |= 1u << i;
    printf("%x\n", bits);
    fflush(stdout);
    if (bits >> 4 == 0x55)
        switch (bits & 15) {
        case 1: abort();
        case 2: abort();
        case 3: abort();
        case 4: abort();
        case 6: abort();
        case 8: abort();
        case 9: abort();
        case 12: abort();
        }
    return 0;
}
EOC
# Calls of abort must not become one.
gimlet-cc -O0 -o bits bits.c

figure() {
    sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1
}
contents() {
    find "$@" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort
}
# Which branches the tests take, by what the program prints.
paths_of() {
    local test
    for test in "$1"/queue/*; do ./bits.plain < "$test" 2> /dev/null || true; done | sort
}
search() {
    gimlet run "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}
# A search in the background ends as one that was stopped, or that found something.
ended() {
    local status=0
    wait "$1" || status=$?
    case $status in 0 | 10 | 130 | 143) ;; *) echo "ended with $status" >&2; return 1 ;; esac
}
has() {
    [ -n "$(find "$1" -name "$2" -print -quit 2> /dev/null)" ]
}
# Where findings are; branches have lines as well.
lines() {
    sed -n '/^  "findings": \[/,/^  \]/p' "$1" | grep '"line"' | sort
}
# Whether processes of a search are there: the driver's name their folder, the program's are told by their file.
n_left() {
    local n=0 exe
    n=$(pgrep -c -f -- "-o $1( |$)" || true)
    for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe" 2> /dev/null) in "$PWD"/bits*) n=$((n + 1)) ;; esac
    done
    echo "$n"
}
all_gone() {
    for _ in {1..100}; do
        [ "$(n_left "$1")" -eq 0 ] && return
        sleep 0.1
    done
    ps -ef >&2
    return 1
}

# The same paths, a test for each, and the same findings, whoever made them.
search -o one --strategy dfs --len 11 --summary one.json -- ./bits
same 2048 "$(figure one.json paths)"
same 8 "$(lines one.json | wc -l)"
paths_of one > one.txt
for jobs in 2 $(is_all && echo 3); do
    search -o "team$jobs" --strategy dfs --len 11 --jobs "$jobs" --summary team.json -- ./bits
    grep -q '^exhausted' log.txt || { cat log.txt; exit 1; }
    for name in paths tests exhausted; do
        same "$name $(figure one.json $name)" "$name $(figure team.json $name)"
    done
    same "$jobs" "$(figure team.json jobs)"
    diff one.txt <(paths_of "team$jobs")
    same "" "$(contents "team$jobs/queue" | uniq -d)"
    diff <(lines one.json) <(lines team.json)
    # Some of the findings are others', and each worker has some paths of its own.
    has "team$jobs/crashes" '*sync:worker*'
    for number in $(seq $((jobs - 1))); do
        has "team$jobs/queue" "*,sync:worker$number,src:0*,op:flip"
    done
    [ "$(figure team.json executions)" -lt $((2048 + jobs * 600)) ]
    all_gone "team$jobs"
done

# Ctrl-C reaches all.
setsid env --default-signal=INT gimlet run -o stopped --jobs 2 -- ./bits > log.txt 2>&1 &
pid=$!
until has stopped/queue '*sync:worker1*'; do kill -0 "$pid"; sleep 0.1; done
kill -INT -- "-$pid"
ended "$pid"
grep -q 'results are kept' log.txt
lacks 'note: worker1' cat log.txt
all_gone stopped
# So does a signal to the first one alone; what others found last is there.
gimlet run -o asked --jobs 2 -- ./bits > log.txt 2>&1 &
pid=$!
until has asked/queue '*sync:worker1*'; do kill -0 "$pid"; sleep 0.1; done
[ "$(n_left asked)" -ge 4 ]
kill -TERM "$pid"
ended "$pid"
all_gone asked
mkdir others
find asked/.gimlet/workers/1/queue -type f ! -name '*sync:worker*' -exec cp {} others \;
same "" "$(comm -23 <(contents others) <(contents asked/queue))"

# Without its leader nobody goes on; a search that was killed goes on to the same end.
gimlet run -o killed --strategy dfs --len 11 --jobs 2 -- ./bits > log.txt 2>&1 &
for delay in 0.5 1 $(is_all && echo 0.3 1.5); do
    pid=$!
    sleep "$delay"
    kill -KILL "$pid" || break
    wait "$pid" 2> /dev/null || true
    all_gone killed
    gimlet run --resume -o killed --strategy dfs --len 11 -- ./bits > log.txt 2>&1 &
done
ended $!
search --resume -o killed --summary killed.json
grep -q '^exhausted' log.txt || { cat log.txt; exit 1; }
same "paths $(figure one.json paths)" "paths $(figure killed.json paths)"
diff one.txt <(paths_of killed | uniq)
same "" "$(contents killed/queue | uniq -d)"
diff <(lines one.json) <(lines killed.json)

# A worker that dies is named, and nobody says that everything was done.
gimlet run -o widow --strategy dfs --len 11 --jobs 2 --summary widow.json -- ./bits > log.txt 2>&1 &
pid=$!
until [ -s widow/.gimlet/workers/1/gimlet.json ]; do kill -0 "$pid"; sleep 0.02; done
kill -KILL "$(pgrep -P "$pid" -f -- '--worker 1/2')"
ended "$pid"
grep -q 'worker1 ended early, signal: 9.*goes on without it' log.txt || { cat log.txt; exit 1; }
same false "$(figure widow.json exhausted)"
same '"interrupted"' "$(figure widow.json ended)"
search --resume -o widow --summary widow.json
same true "$(figure widow.json exhausted)"
same "paths $(figure one.json paths)" "paths $(figure widow.json paths)"

# The first one decides when enough was found.
search -o enough --jobs 2 --stop-after-found 1 -- ./bits
grep -q 'enough was found' log.txt
all_gone enough

# What cannot be.
fails 2 gimlet run -o wrong --jobs 0 -- ./bits 2> log.txt
fails 2 gimlet run -o wrong --jobs 2 --steps 100 -- ./bits 2> log.txt
grep -q 'hint: use --jobs 1, or --budget' log.txt
fails 2 gimlet run -o wrong --jobs 1000 -- ./bits 2> log.txt
grep -q 'jobs 1000 is too many' log.txt
fails 2 gimlet run --resume -o killed --jobs 3 2> log.txt
grep -q 'has --jobs 2, not 3' log.txt
[ ! -e wrong/queue ]
