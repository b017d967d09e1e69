# What is wrong is said in the words of whoever made the mistake, and it ends as it should.
cat > door.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int c = getchar();
    if (c == 'x')
        abort();
    return c == '/';
}
EOC
gimlet-cc -g -O1 --with=memory,asan,cov -o door door.c
says() { # STATUS LINE COMMAND
    local status=$1 line=$2
    shift 2
    fails "$status" "$@" > said.out 2> said
    grep -qxF -e "$line" said || { cat said; return 1; } >&2
}

# Options.
says 2 "gimlet: error: unknown option '--frob'; see --help" gimlet run --frob -o e -- ./door
says 2 "gimlet: error: unknown option '--frob'; see --help" gimlet run -o e --frob -- ./door
says 2 "  hint: --budget is one" gimlet run --budgt 5s -o e -- ./door
says 2 "error: invalid value '-3' for '--len <N>': a number of bytes, 1 or more" gimlet run --len -3 -o e -- ./door
test ! -e e

# Another build is named for the program.
for build in plain edges memory asan cov; do
    fails 2 gimlet run -o e -- "./door.$build" 2> said
    grep -q "^gimlet: error: ./door.$build is the .* build: use ./door\$" said || { cat said; exit 1; } >&2
    lacks 'beside the program: ' cat said
done
says 2 "gimlet: error: ./door.plain is the plain build: use ./door" gimlet trace -- "$PWD/door.plain"
# Without the program beside it nobody knows.
cp door.plain other.plain
fails 2 gimlet trace -- ./other.plain 2> said
grep -q 'other.plain has no instrumentation' said

# Files and folders.
echo text > file
says 2 "gimlet: error: file is a file, not a folder" gimlet run -o file -- ./door
says 2 "gimlet: error: file is a file, not a folder" gimlet run -o file/e -- ./door
says 2 "gimlet: error: file is a file, not a folder" gimlet cmin -i . -o file -- ./door
same text "$(cat file)"
truncate -s 20M large
says 2 "gimlet: error: the seed large is larger than 16 MiB" gimlet run -i large -o e -- ./door
grep -q -e '  hint: --max-input BYTES' said
test ! -e e
echo 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return n && *p == 9; }' > harness.c
gimlet-cc harness.c -o harness
says 2 "gimlet: cannot open the input file no/such" ./harness no/such

# A length that the user does not give is one that sentences have.
cat > sum.y << 'EOC'
%token NUMBER
%left '+'
%%
sum: NUMBER | sum '+' sum | '(' sum ')' ;
EOC
says 0 "gimlet: note: no sentence has 10 tokens: these have 9" gimlet grammar sample -n 3 sum.y
same 3 "$(grep -c . said.out)"
says 0 "gimlet: note: no sentence has 10 tokens: these have 9" gimlet grammar sample -n 3 --derivations sum.y
says 2 "  hint: some have 9, some 11; the shortest has 1" gimlet grammar sample --len 10 sum.y

# Time limits have the same unit everywhere; a folder keeps its own.
printf 'int main(void) { for (volatile int i = 0;; i++) ; }' > spin.c
gimlet-cc spin.c -o spin
for limit in 300ms 0.3s 0.3; do
    says 10 "gimlet: the program was stopped at the time limit of 300 ms" gimlet replay --timeout $limit -- ./spin < /dev/null
done
fails 2 gimlet trace --timeout 300ms -- ./spin < /dev/null 2> said > /dev/null
grep -q 'stopped at the time limit of 300 ms' said
fails 10 gimlet run --timeout 200ms --steps 1 -o slow -- ./spin > /dev/null 2> said
grep -q '"timeout": "200ms"' slow/gimlet.json
fails 10 gimlet run --resume --steps 1 -o slow > /dev/null 2> said
grep -q '"timeout": "200ms"' slow/gimlet.json
says 0 "gimlet: note: --timeout 1000 is 1000 seconds; 1000 milliseconds are --timeout 1000ms" \
    gimlet run --timeout 1000 --steps 1 --len 1 -o long -- ./door

# A branch with how it came out, and characters as such.
printf / > slash
gimlet trace --stdin slash -- ./door > trace.txt 2> /dev/null
grep -q " false  *door.c:6:.* stdin\[0\] == 'x'\$" trace.txt
fails 0 gimlet flip --stdin slash -o flipped -- ./door > flip.txt 2> /dev/null || true
[ -s flipped ]

# One input that crashes is as bad as a folder of them.
printf x > crash
fails 10 gimlet replay --stdin crash -- ./door 2> said
fails 0 gimlet replay --stdin slash -- ./door 2> said
for build in plain asan edges; do
    fails 10 gimlet replay --stdin crash -- "./door.$build" 2> said
done
