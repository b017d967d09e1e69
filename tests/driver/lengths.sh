# Stretches of the input: what string functions, reads and loops make of their lengths, and what a search finds by them.
cat > lookup.c <<'EOF'
#include <string.h>
#include "gimlet.h"
enum { MAX_PATH = 1024 };
static void lookup(char *resolved, const char *wbuf)
{
    int rootd = (resolved[0] == '/') & (resolved[1] == '\0');
#ifdef FIXED
    if (strlen(resolved) + strlen(wbuf) + !rootd + 1 > MAX_PATH)
#else
    if (strlen(resolved) + strlen(wbuf) + rootd + 1 > MAX_PATH)
#endif
        return;
    if (!rootd)
        strcat(resolved, "/");
    strcat(resolved, wbuf);
}
int main(void)
{
    char resolved[MAX_PATH];
    gimlet_symbolic_string(resolved, 5, MAX_PATH, "resolved");
    lookup(resolved, "blah");
    return 0;
}
EOF
# Figure 4.2 of the dissertation: one length is too much; without the bug there are three paths.
gimlet-cc -g -O1 --with=memory lookup.c -o lookup
fails 10 gimlet run --strategy dfs --budget 60s -o bad -- ./lookup > bad.out 2>&1
grep -q "(1019 bytes)" bad.out
gimlet-cc -g -O1 -DFIXED --with=memory lookup.c -o lookup
gimlet run --strategy dfs --budget 60s -o fixed -- ./lookup > fixed.out 2>&1
grep -q " 3 paths, .* 0 findings" fixed.out
grep -q "^exhausted: every path was taken" fixed.out

# Loops written by hand: each counter owes a part of its value to the length.
cat > loops.c <<'EOF'
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[400], copy[400];
    size_t i = 0, n_signs = 0, start = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (i < sizeof line - 1)
            line[i++] = (char)c;
    }
    line[i] = '\0';
    char *to = copy;
    for (const char *from = line; *from; from++) {
        if (*from == '-')
            n_signs++;
        *to++ = *from;
    }
    *to = '\0';
    size_t len = (size_t)(to - copy);
    while (len > 0 && copy[len - 1] == ' ')
        len--;
    for (size_t at = 0; at < len; at++)
        if (copy[at] == ',')
            start = at + 1;
    if (i == 90)
        puts("line");
    if (n_signs == 91)
        puts("signs");
    if (len == 92)
        puts("length");
    if (start == 93)
        puts("start");
    return 0;
}
EOF
gimlet-cc -g -O1 loops.c -o loops
conditions() { # of one line, with how they came out, and n for the length
    sed -E 's/zext64\((length\([^)]*\))\)/\1/g; s/length\([^)]*\)/n/g' |
        sed -n "s/^ *[0-9]* *\([a-z]*\) *loops.c:$1:[0-9]* *main */\1 /p"
}
printf 'ab-cd,ef  ' > text
traced() { gimlet trace --stdin text "$@" ./loops | conditions "$line"; }
line=26; same "$(traced --stretch 1:20)" "false n == 0x51"
line=30; same "$(traced --stretch 1:20)" "false n == 0x55"
line=32; same "$(traced --stretch 1:20)" "false n == 0x58"
line=28; same "$(traced --stretch 2:20)" "false n == 0x5b"
line=28; same "$(traced --stretch 1:20)" ""
# Blanks at the end do not count, however many they are.
line=30; same "$(traced --stretch 9:20)" "false false"
# Behind the end of the buffer nothing is counted any more.
line=26; same "$(traced --stretch 1:500)" ""
# Both stretches count, each by its own length.
gimlet trace --stdin text --stretch 1:20 --stretch 4:9 ./loops > both
grep -q "loops.c:26:.*length(stdin@23).*length(stdin@1)\|loops.c:26:.*length(stdin@1).*length(stdin@23)" both

# How large a file is, and where one stands in it, depends on lengths: all of it is read, whatever its size.
cat > sizes.c <<'EOF'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct stat by_fd, by_path;
    int fd = open(argv[argc - 1], O_RDONLY);
    if (fd < 0 || fstat(fd, &by_fd) != 0 || stat(argv[1], &by_path) != 0)
        return 2;
    off_t end = lseek(fd, 0, SEEK_END);
    FILE *file = fopen(argv[1], "r");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size);
    size_t n_items = fread(text, 1, (size_t)size, file);
    lseek(fd, 0, SEEK_SET);
    ssize_t n_bytes = read(fd, text, (size_t)by_fd.st_size);
    if (by_fd.st_size == 90)
        puts("fstat");
    if (by_path.st_size == 91)
        puts("stat");
    if (end == 92)
        puts("lseek");
    if (size == 93)
        puts("ftell");
    if (n_items == 94)
        puts("fread");
    if (n_bytes == 95)
        puts("read");
    return 0;
}
EOF
gimlet-cc -g -O1 sizes.c -o sizes
gimlet trace --file text --stretch 1:20 -- ./sizes @@ | sed 's/sizes\.c/loops.c/' > sizes.out
for line in 21 23 25 27 29 31; do
    same "$(conditions $line < sizes.out)" "false n == $(printf '0x%x' $((90 + (line - 21) / 2 - 9)))"
done

# What has no length has none: a program that looks at nothing, at zeros, at its own end of the text.
cat > blind.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char text[64] = "";
    ssize_t n = read(0, text, sizeof text - 1);
    return n > 0 && strlen(text) > 10 ? 3 : 0;
}
EOF
gimlet-cc -g -O1 --with=memory blind.c -o blind
printf 'a\0b\0\0c' > zeros
gimlet run --strategy generational --prefix 2 --max-len 300 --budget 20s -i zeros -o zeros.out -- ./blind > out 2>&1
grep -q " 0 findings" out
grep -q "nothing is left to try\|exhausted" out
# Nothing is longer than wanted, not even what is made of a longer seed.
gimlet run --strategy generational --prefix 2 --max-len 5 --budget 20s -i zeros -o short.out -- ./blind > out 2>&1
same "" "$(find short.out/queue -type f -size +5c)"
echo 'int main(void) { return 0; }' > nothing.c
gimlet-cc -g -O1 --with=memory nothing.c -o nothing
fails 4 gimlet run --strategy dfs --prefix 2 --max-len 300 --budget 20s -i zeros -o nothing.out -- ./nothing > out 2>&1
grep -q " 1 paths, .* 0 findings" out
cat > strange.c <<'EOF'
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "gimlet.h"
int main(int argc, char **argv)
{
    static char text[64];
    static const size_t lengths[][2] = {{5, 0}, {5, 1}, {70, 64}, {0, 64}, {2, 3}};
    (void)argv;
    for (int i = 0; i < 5; i++) {
        size_t prefix = lengths[i][0], max = lengths[i][1];
        gimlet_symbolic_string(text, prefix, max, "text");
        if (max > 0 && strlen(text) >= max)
            abort();
    }
    return argc;
}
EOF
gimlet-cc -g -O1 --with=memory strange.c -o strange
gimlet run --strategy generational --budget 5s -o strange.out -- ./strange > out 2>&1
grep -q " 0 findings" out

# A position in memory is not followed: no search says then that it took every path.
cat > position.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
struct cursor {
    int at;
    char *text;
};
int main(void)
{
    char line[500];
    struct cursor *cursor = malloc(sizeof *cursor);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    cursor->text = line;
    cursor->at = 0;
    while (cursor->text[cursor->at])
        cursor->at++;
    return cursor->at == 321;
}
EOF
gimlet-cc -g -O1 --with=memory position.c -o position
printf 'ab:c\n' > seed
gimlet run --strategy dfs --prefix 3 --max-len 600 --budget 20s -i seed -o position.out -- ./position > out 2>&1
grep -q "not every path may have been taken" out
grep -q "loop over a stretch.* at position.c:15" out

# A search that goes on makes stretches of the tests that it has, also if it began without. Arguments grow in no other way.
cat > long.c <<'EOF'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    if (argc == 2 && strlen(argv[1]) == 321)
        abort();
    return 0;
}
EOF
gimlet-cc -g -O1 long.c -o long
gimlet run --no-stretches --strategy generational --max-len 500 --budget 20s --symbolic-args -o long.out -- ./long :a > out 2>&1
grep -q "nothing is left to try" out
grep -q " 0 findings" out
fails 10 gimlet run --resume --budget 20s --stop-after-found 1 -o long.out > out 2>&1
grep -q "found abort in main at long.c:6" out

# What cannot be is refused.
fails 2 gimlet run --prefix 5 --max-len 5 -o no -- ./blind 2> out
grep -q "max-len is between 6 and" out
fails 2 gimlet run --prefix 5 --max-len 99999999999 -o no -- ./blind 2> out
fails 2 gimlet run --prefix -1 -o no -- ./blind 2> out
fails 2 gimlet run --prefix 5 --no-stretches -o no -- ./blind 2> out
fails 2 gimlet run --prefix 5 --strategy cese -o no -- ./blind 2> out
fails 2 gimlet run --prefix 5 --strategy mutation -o no -- ./blind 2> out
grep -q "mutation does not" out
fails 2 gimlet run --prefix 18446744073709551615 --max-len 1048576 -o no -- ./blind 2> out
grep -q "prefix is below 1048576" out
fails 2 gimlet trace --stretch 5 --stdin text ./loops 2> out
grep -q "AT:LEN" out
fails 2 gimlet trace --stretch 50:5 --stdin text ./loops 2> out
grep -q "has no byte 50" out
[ ! -e no ]
