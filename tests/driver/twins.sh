# One command gives PROG, PROG.plain and PROG.edges; others on request, by option or by environment.
for n in 0 1; do
    gimlet-cc -O2 main.c twice.c -o prog$n
    for twin in '' .plain .edges; do
        same "$(fails 3 ./prog$n$twin)" 2
    done
    test ! -e prog$n.asan
done
lacks gimlet_edges nm prog0.plain

cat > faulty.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *p = malloc(4);
    p[argc > 1 ? atoi(argv[1]) : 0] = 1;
    puts(p[0] == 1 ? "first" : "other");
    return argc > 2 ? 1 << atoi(argv[2]) : 0;
}
EOF
gimlet-cc --with=asan,cov -c faulty.c
gimlet-cc --with=asan,cov faulty.o -o by_option
GIMLET_WITH=cov,asan GIMLET_WITHOUT=edges gimlet-cc faulty.c -o by_environment
test ! -e by_environment.edges
for prog in by_option by_environment; do
    same "$(./$prog.asan)" first
    # the first report ends the program
    ASAN_OPTIONS=exitcode=99 fails 99 ./$prog.asan 4 2> said
    grep -q 'heap-buffer-overflow' said
    grep -q 'faulty.c:6' said
    UBSAN_OPTIONS=exitcode=98 ASAN_OPTIONS=exitcode=98 fails 98 ./$prog.asan 0 40 > /dev/null 2> said
    grep -q 'faulty.c:8.*shift exponent' said
    LLVM_PROFILE_FILE=$prog.profraw ./$prog.cov 1 > /dev/null
    llvm-profdata-19 merge $prog.profraw -o $prog.profdata
    llvm-cov-19 show --show-branches=count --instr-profile=$prog.profdata ./$prog.cov > covered
    grep -q 'Branch (6:7): \[True: 1, False: 0\]' covered
done
for wrong in '--with=msan' '--without=everything'; do
    fails 2 gimlet-cc $wrong -c main.c 2> said
    grep -q "no build named '${wrong#*=}'.*asan" said
done
GIMLET_WITH=nonsense fails 2 gimlet-cc -c main.c 2> said
grep -q nonsense said

# what only a twin can't do leaves PROG and the others; that with counters is made of the same text as PROG
echo '#ifndef __NO_INLINE__
#error optimised
#endif' >> twice.c
gimlet-cc -O2 main.c twice.c -o prog0 2> said
grep -q 'has no plain twin' said
lacks 'edges' cat said
grep -q 'no plain build of prog0: twice.c' said
for twin in '' .edges; do
    same "$(fails 3 ./prog0$twin)" 2
done
test ! -e prog0.plain
