# A program that is not deterministic is noticed, and the branches that differ are named.
cat > moods.c << 'EOC'
#include <stdio.h>
#include <time.h>
static int mood(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec / 64 % 2; }
int main(void)
{
    int first = getchar();
    if (mood())
        puts("good morning");
    if (first == 'a' && getchar() == 'b')
        puts("ab");
    return 0;
}
EOC
gimlet-cc -g -O0 -o moods moods.c
printf 'xy' > seed
gimlet run --no-ui --world real -i seed -o out --budget 4s --summary sum.json -- ./moods > log.txt
grep -q 'the program is not deterministic' log.txt || { cat log.txt; exit 1; }
python3 - << 'EOP'
import json
summary = json.load(open("sum.json"))
assert 0.3 < summary["stability"] < 1, summary["stability"]
assert summary["unstable"] and all("moods.c:11:" in name for name in summary["unstable"]), summary["unstable"]
assert any(call.startswith("clock_gettime at ") and "moods.c:6:" in call for call in summary["unstable_calls"]), summary["unstable_calls"]
assert not summary["exhausted"]
EOP
grep -q 'It calls clock_gettime at' log.txt
grep -q '^stability  *: [3-9][0-9]\.' out/fuzzer_stats
# Where the input decides, everything is stable.
sed -i 's/now.tv_nsec . 64 % 2/now.tv_nsec < 0/' moods.c
gimlet-cc -g -O0 -o calm moods.c
gimlet run --no-ui --world real -i seed -o calm.out --budget 4s --summary calm.json -- ./calm > log.txt
lacks 'not deterministic' cat log.txt
python3 -c 'import json; calm = json.load(open("calm.json")); assert calm["stability"] == 1 and calm["unstable"] == []'
