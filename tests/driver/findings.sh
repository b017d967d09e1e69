# What is told of a finding, what is not, and that the search goes on behind it.
figure() {
    python3 -c "import json, sys; data = json.load(open(sys.argv[1])); print($2)" "$1"
}
run() {
    gimlet run --no-ui "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}

# A memory error on every input hides neither a trap behind it nor the rest of the program.
cat > every.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    unsigned char in[6];
    char *block = malloc(8);
    if (!block || read(0, in, sizeof in) != sizeof in)
        return 1;
    volatile char peek = block[8];
    (void)peek;
    if (memcmp(in, "magic", 5) == 0) {
        if (in[5] == 'X')
            __builtin_trap();
        puts("magic");
    }
    free(block);
    return 0;
}
EOF
gimlet-cc -g -O1 --with=memory -o every every.c
run --len 6 --budget 30s --stop-after-found 1:trap --summary every.json -o every-out -- ./every
same "$(figure every.json "[(f['kind'], f['shown_by'], f['confirmed']) for f in data['findings']]")" \
    "[('heap-out-of-bounds', ['memory'], True), ('trap', ['plain'], True)]"
grep -q 'found heap-out-of-bounds in main at every.c:11 (shown by the memory build; the plain build ends normally)' log.txt
grep -q 'found trap in main at every.c:15 (shown by the plain build)' log.txt
grep -q 'shown by the memory build' every-out/reports/000000-heap-out-of-bounds.txt

# It can be left out, on the command line, in a file, or with all that PROG.memory finds.
run --len 6 --budget 30s --stop-after-found 1 --suppress 'heap-*:main:every.c' --summary one.json -o one -- ./every
same "$(figure one.json "[f['kind'] for f in data['findings']], [s['rule'] for s in data['suppressed'] if s['runs'] > 0]")" \
    "['trap'] ['heap-*:main:every.c']"
grep -q 'suppressed in [0-9]* runs: heap-\*:main:every.c' log.txt
printf '# known\n\nheap-out-of-bounds:main  # since 1998\n' > known.txt
run --len 6 --budget 30s --stop-after-found 1 --suppressions known.txt -o two -- ./every
grep -q 'found trap' log.txt
run --len 6 --budget 30s --stop-after-found 1 --no-memory -o three -- ./every
grep -q 'found trap' log.txt
lacks heap cat log.txt
fails 2 gimlet run --suppress heap -o four -- ./every 2> err
grep -q "'heap' is no kind of finding; kinds are abort" err
echo 'frob:x' > bad.txt
fails 2 gimlet run --suppressions bad.txt -o four -- ./every 2> err
grep -q "bad.txt: line 1: 'frob' is no kind of finding" err
fails 2 gimlet run --stop-after-found 1:frob -o four -- ./every 2> err
grep -q "'frob' is no kind of finding; kinds are memory, abort" err
fails 2 gimlet run --no-memory --leaks -o four -- ./every 2> err

# Memory that the program made symbolic is written, however much of it the input has.
cat > made.c <<'EOF'
#include <gimlet.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    char kind, name[12], rest[4];
    gimlet_symbolic(&kind, 1, "kind");
    gimlet_symbolic(name, sizeof name, "name");
    if (kind == 'k') {
        gimlet_symbolic(rest, sizeof rest, "rest");
        if (rest[0] == 'a' && rest[3] > 'z')
            puts("rest");
    }
    for (unsigned i = 0; i < sizeof name; i++)
        if (name[i] == 'q')
            puts("q");
    return 0;
}
EOF
gimlet-cc -g -O1 --with=memory -o made made.c
fails 0 gimlet run --no-ui --budget 2s -o made-out -- ./made > log.txt 2>&1

# A bug that only the plain build has, shown by a seed; one that only the instrumented build has says so.
cat > layout.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char path[4096] = "";
    int c = getchar();
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return 1;
    const char *suffix = strrchr(path, '.');
    if (c == 'p' && suffix && strcmp(suffix, ".plain") == 0)
        abort();
    if (c == 'i' && !suffix)
        abort();
    return 0;
}
EOF
gimlet-cc -g -O1 -o layout layout.c
printf p > seed
run -i seed --budget 5s --stop-after-found 1 --summary plain.json -o plain -- ./layout
same "$(figure plain.json "[f['shown_by'] for f in data['findings']]")" "[['plain']]"
printf i > seed
run -i seed --budget 5s --stop-after-found 1 --summary only.json -o only -- ./layout
same "$(figure only.json "[(f['shown_by'], f['confirmed']) for f in data['findings']]")" "[(['instrumented'], False)]"
grep -q 'found abort in main at layout.c:15 (shown by the instrumented build; not confirmed)' log.txt
figure only.json "data['findings'][0]['said']" | grep -q 'the plain build ends otherwise'

# Only new findings end a search that goes on; after a rebuild numbers are not given again.
cat > two.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int c = getchar();
    if (c == 'a')
        abort();
    if (c == 'z')
        return *(volatile int *)8;
    return 0;
}
EOF
gimlet-cc -g -O1 -o two-bugs two.c
printf a > seed
run -i seed --budget 20s --stop-after-found 1 -o again -- ./two-bugs
run --resume --budget 20s --stop-after-found 1 -o again
grep -q 'found segv' log.txt
gimlet-cc -g -O0 -o two-bugs two.c
run --resume --budget 5s --stop-after-found 2 -o again
same "$(ls again/crashes | grep '^id' | cut -c 1-9 | sort | uniq -d)" ""

# A divergence without a loss names its likely causes.
cat > chance.c <<'EOF'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int odd = getpid() & 1;
    for (int i = 0; i < 12; i++) {
        int c = getchar();
        if (odd ? c > 'm' : c < 'c')
            puts("x");
    }
    return 0;
}
EOF
gimlet-cc -g -O1 -o chance chance.c
run --strategy generational --len 12 --steps 60 --explain-divergences -o chance-out -- ./chance
grep -q 'a run depends on more than its input, perhaps on getpid at chance.c:5:15 in main' log.txt
cat > folded.c <<'EOF'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int x;
    if (read(0, &x, sizeof x) != sizeof x)
        return 1;
    if (x > 0 && x * 2 < 0)
        puts("overflow");
    return 0;
}
EOF
gimlet-cc -O2 -o folded folded.c
run --strategy generational --len 4 --steps 100 --explain-divergences -o folded-out -- ./folded
grep -q 'undefined behaviour, such as signed overflow, that the optimiser made use of: try -O0' log.txt

# A finding says what builds do with its own input: the long one ends well on the plain build, the short one does not.
cat > shorter.c <<'EOT'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    char in[64];
    char *block = malloc(4);
    long n = read(0, in, sizeof in);
    if (n < 4)
        return 1;
    volatile char peek = block[n];
    if (n < 8)
        abort();
    return peek == 'x';
}
EOT
gimlet-cc -g -O1 --with=memory,asan -o shorter shorter.c
mkdir lengths
printf 12345678901234567890 > lengths/a
printf 123456 > lengths/b
run -i lengths --steps 2 --summary shorter.json -o shorter-out -- ./shorter
same "$(figure shorter.json "[(f['kind'], f['shown_by']) for f in data['findings'] if f['kind'] != 'abort']")" \
    "[('heap-out-of-bounds', ['plain', 'memory', 'asan'])]"

# A run that takes a little too long is no hang, and one that hangs says how that was seen.
cat > slow.c <<'EOT'
#include <stdio.h>
#include <time.h>
int main(void)
{
    int c = getchar();
    while (c == 'h' || (c == 's' && clock() < CLOCKS_PER_SEC * 3 / 10))
        ;
    return 0;
}
EOT
gimlet-cc -g -O1 -o slow slow.c
printf s > seed
fails 0 gimlet run --no-ui --timeout 200ms --steps 1 -i seed -o slow-out -- ./slow > log.txt 2>&1
printf h > seed
fails 10 gimlet run --no-ui --timeout 200ms --steps 1 -i seed -o hang-out -- ./slow > log.txt 2>&1
grep -q 'was stopped at the time limit of 600 ms, 3 times --timeout, by the plain build' log.txt
