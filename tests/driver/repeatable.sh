# The same seed and the same number of steps make the same tests, byte for byte, with every strategy.
cat > words.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char line[24];
    int n_words = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok(line, " ,"); word; word = strtok(NULL, " ,"))
            if (strcmp(word, "stop") == 0)
                abort();
            else
                n_words += atoi(word) > 12 ? 2 : 1;
    }
    return n_words % 3;
}
EOC
gimlet-cc -O1 -o words words.c

# Tests and findings with their content; of a name all but the time counts.
listed() {
    (cd "$1" && find queue crashes hangs -type f -exec sha256sum {} + | sed 's/time:[0-9]*/time/' | sort)
}
printf 'one 2,three\n4 5\n' > seed
for strategy in dfs generational random hybrid mutation; do
    # Mutants are many and cheap.
    case $strategy in hybrid | mutation) steps=3000 ;; *) steps=120 ;; esac
    for attempt in first second; do
        # Status 10: there is something to find.
        gimlet run -i seed -o "$strategy.$attempt" --strategy "$strategy" --steps $steps --seed 7 \
            --max-len 24 -- ./words > log.txt 2>&1 || [ $? -eq 10 ]
        grep -q "$steps runs" log.txt
    done
    diff <(listed "$strategy.first") <(listed "$strategy.second")
    [ "$(ls "$strategy.first/queue" | wc -l)" -gt 3 ]
done
# Another seed, other choices.
gimlet run -i seed -o other --strategy random --steps 120 --seed 8 --max-len 24 -- ./words > log.txt 2>&1 || [ $? -eq 10 ]
fails 1 diff -q <(listed random.first) <(listed other) > /dev/null
