# AFL++ and Gimlet work on one folder: they take over each other's tests, and AFL++'s tools read Gimlet's results.
#~ SLOW
cat > mixed.h << 'EOC'
#include <stdint.h>
/* No solver turns this round. */
static uint64_t mixed(const char *text)
{
    uint64_t sum = 0x9e3779b97f4a7c15;
    for (; *text; text++) {
        sum ^= (unsigned char)*text;
        for (int round = 0; round < 32; round++) {
            sum = sum * (sum | 5) + 0xff51afd7ed558ccd;
            sum ^= sum >> 29;
        }
    }
    return sum;
}
EOC
cat > secret.c << 'EOC'
#include <stdio.h>
#include "mixed.h"
int main(void)
{
    printf("%#llx\n", (unsigned long long)mixed("mellon"));
}
EOC
cat > locks.c << 'EOC'
#include <stdio.h>
#include <string.h>
#include "mixed.h"
int main(void)
{
    char line[64] = "";
    if (!fgets(line, sizeof line, stdin))
        return 1;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == 'm') {
        if (mixed(line) == SECRET)
            puts("friend");
        return 2;
    }
    /* Mutation does not guess this. */
    if (line[0] == 'w' && !memcmp(line + 1, "ide-open-sesame", 15))
        puts("open");
    return 0;
}
EOC
clang-19 -o secret secret.c
secret=$(./secret)
gimlet-cc -O1 -DSECRET="$secret" -o locks locks.c
AFL_QUIET=1 afl-clang-fast -O1 -DSECRET="$secret" -o locks.afl locks.c
mkdir both afl.seeds
echo mellon > afl.seeds/known
printf 'wide' > seed

has() {
    [ -n "$(find "$1" -name "$2" -print -quit 2> /dev/null)" ]
}
# Waits for something, as long as a process runs.
wait_for() {
    local process=$1
    shift
    for _ in {1..600}; do
        if "$@"; then return; fi
        kill -0 "$process" || break
        sleep 0.2
    done
    "$@"
}
complain() {
    { tail -n 40 "$1"; ls both/*/queue; } >&2
    exit 1
}
opens() {
    grep -rqs '^wide-open-sesame' both/gimlet/queue
}

timeout 290 gimlet run -i seed -o both/gimlet --sync both -- ./locks > log.txt 2>&1 &
gimlet=$!
wait_for "$gimlet" opens || complain log.txt

# afl-fuzz looks at the others when it begins, and then hardly ever.
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_TRY_AFFINITY=1
AFL_IMPORT_FIRST=1 AFL_SYNC_TIME=1 timeout -s INT 130 afl-fuzz -M main -i afl.seeds -o both -- ./locks.afl > afl.txt 2>&1 &
afl=$!
wait_for "$afl" has both/main/queue '*sync:gimlet*' || complain afl.txt
wait_for "$gimlet" has both/gimlet/queue '*sync:main*' || complain log.txt
wait_for "$afl" [ -s both/main/fuzzer_stats ]
[ -s both/gimlet/fuzzer_stats ]
TERM=dumb afl-whatsup both > whatsup.txt 2> whatsup.err
kill -TERM "$gimlet"
wait "$gimlet" || [ $? -eq 143 ]
kill -INT "$afl" || true
wait "$afl" || true

# What AFL++ knew is a test of Gimlet's, and the other way round.
grep -l '^mellon' both/gimlet/queue/*sync:main,src:0*
grep -l 'wide-open-sesame' both/main/queue/*sync:gimlet*
same "" "$(find both/gimlet/queue -type f -exec sha256sum {} + | cut -d' ' -f1 | sort | uniq -d)"

# Its tools.
grep -q 'Fuzzers alive : 2' whatsup.txt
grep -q '>>> locks (' whatsup.txt
lacks 'rror\|unexpected\|division by' cat whatsup.err
TERM=dumb afl-whatsup -s -d both > whatsup.txt 2> whatsup.err
grep -q 'Dead or remote : 2' whatsup.txt
lacks 'rror\|unexpected\|division by' cat whatsup.err
afl-plot both/gimlet plots > plot.txt 2>&1
grep -q 'All done' plot.txt
for name in high_freq low_freq exec_speed edges; do [ -s "plots/$name.png" ]; done
AFL_ALLOW_TMP=1 afl-cmin -i both/gimlet/queue -o small -- ./locks.afl > cmin.txt 2>&1
n_small=$(ls small | wc -l)
[ "$n_small" -ge 3 ] && [ "$n_small" -le "$(ls both/gimlet/queue | wc -l)" ]

# Taken up again, Gimlet takes nothing over twice.
ls both/gimlet/queue > before.txt
gimlet run --resume -o both/gimlet --sync both --budget 3s > log.txt 2>&1
same "$(grep -c sync:main before.txt)" "$(ls both/gimlet/queue | grep -c sync:main)"
fails 2 gimlet run -o other --sync nowhere -- ./locks 2> log.txt
grep -q 'nowhere: no such folder' log.txt
