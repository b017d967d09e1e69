# Inputs become smaller and fewer, and do the same; what is no use is said.
cat > rpn.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int stack[16], depth, n_many;
static int pop(void)
{
    if (depth == 0)
        abort();
    return stack[--depth];
}
static int divide(int a, int b)
{
    return a / b;
}
int main(int argc, char **argv)
{
    char line[256];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
            if (word[0] >= '0' && word[0] <= '9' && depth < 16)
                stack[depth++] = atoi(word);
            else if (!strcmp(word, "div")) {
                int b = pop(), a = pop();
                stack[depth++] = divide(a, b);
            } else if (!strcmp(word, "add")) {
                int b = pop(), a = pop();
                stack[depth++] = a + b;
            } else if (!strcmp(word, "loop"))
                for (;;) {}
            else if (!strcmp(word, "many") && ++n_many > 700)
                abort();
        }
    }
    return depth;
}
EOC
gimlet-cc -O0 -o rpn rpn.c
printf '# a comment\n1 2 add 33 add\n7 7 add\n# more\n12 4 5 add div 0 div 99\n1 1 add\n' > crash

# A finding keeps its kind and its place, on standard input and as a file, and becomes the same every time.
for at in '' @@; do
    gimlet tmin -o small crash -- ./rpn $at > log.txt 2> log.err || { cat log.txt log.err >&2; exit 1; }
    grep -q '^crash: [0-9]* bytes, division-by-zero in divide at rpn.c:13$' log.txt
    [ "$(wc -c < small)" -le 8 ]
    grep -q 'div' small
    gimlet tmin -o again crash -- ./rpn $at > log.txt 2>&1
    cmp small again
done
# No byte of it can be left out.
gimlet tmin -o again small -- ./rpn > log.txt
cmp small again

# Another end of the same program is another finding; where nothing says otherwise the result is beside the input.
printf '1 2 add\n3 add\nadd\nadd\n' > underflow
gimlet tmin underflow -- ./rpn > log.txt
grep -q 'abort in pop at rpn.c:8' log.txt
same add "$(cat underflow.min)"
printf '1 2 add\nloop 3\n' > hang
gimlet tmin -o hang.min --timeout 100ms hang -- ./rpn > log.txt
grep -q 'timeout (100 ms) in main' log.txt
same loop "$(cat hang.min)"

# One that ends well keeps its branches and how often it takes them.
printf '# x\n10 20 add\n30 40 add 55 add\n' > fine
gimlet tmin -o fine.min fine -- ./rpn > log.txt
grep -q 'moves [0-9]* counters' log.txt
[ "$(wc -c < fine.min)" -lt "$(wc -c < fine)" ]
mkdir one two
cp fine one
cat fine.min > two/fine.min
cp fine two
gimlet cmin -i two -o chosen -- ./rpn > log.txt
same fine.min "$(ls chosen)"

# Stopped early: the best so far.
seq -f 'many %g' 1000 > long
gimlet tmin -o early --budget 1s long -- ./rpn > log.txt
grep -q 'the time is over' log.txt
[ "$(wc -c < early)" -lt "$(wc -c < long)" ]
gimlet tmin -o early long -- ./rpn > log.txt &
pid=$!
until grep -q ' s: [0-9]* bytes' log.txt; do sleep 0.1; done
kill -TERM "$pid"
wait "$pid"
grep -q 'stopped' log.txt
[ "$(wc -c < early)" -lt "$(wc -c < long)" ]

# Several sources: those of the folder become smaller, what the command line gives stays.
cat > both.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
static int first(const char *path)
{
    FILE *file = fopen(path, "r");
    return file ? fgetc(file) : EOF;
}
int main(int argc, char **argv)
{
    if (argc > 2 && first(argv[1]) == 'k' && first(argv[2]) == 'w' && getchar() == 'x')
        abort();
    return 0;
}
EOC
gimlet-cc -o both both.c
mkdir several
printf 'keyword' > several/key
printf 'xyz' > several/stdin
printf 'word' > word
gimlet tmin several --file key=word --file other=word -- ./both @key@ @other@ > log.txt
same 'k x' "$(cat several.min/key) $(cat several.min/stdin)"
same 2 "$(ls several.min | wc -l)"
fails 2 gimlet tmin several --file key=word --file other=word -- ./both @key@ @other@ 2> log.txt
grep -q 'several.min is there already' log.txt

# All findings of a search; what is in the search's own folders stays.
gimlet run -o out -i crash -i underflow --steps 400 --timeout 200ms -- ./rpn > log.txt 2>&1 || [ $? -eq 10 ]
find out/crashes -type f -exec sha256sum {} + | sort > before.txt
gimlet tmin out > log.txt
find out/crashes -type f -exec sha256sum {} + | sort > after.txt
diff before.txt after.txt
same "$(ls out/crashes)" "$(ls out/minimised/crashes)"
[ "$(find out/minimised -type f -size -9c | wc -l)" -ge 2 ]
gimlet tmin -o one.min "out/crashes/$(ls out/crashes | head -n 1)" > log.txt
cmp one.min "out/minimised/crashes/$(ls out/crashes | head -n 1)"

# A corpus with what corpora have in them.
mkdir corpus corpus/folder
for number in $(seq 300); do echo "$number $((number % 7)) add" > "corpus/$number"; done
for number in $(seq 40); do echo "# $number" > "corpus/comment$number"; done
cp corpus/1 corpus/copy
echo '1 0 div' > corpus/crash
echo 'loop' > corpus/hang
: > corpus/empty
mkfifo corpus/pipe
ln -s nowhere corpus/dangling
truncate -s 1G corpus/huge
mkdir corpus/folder/deeper
gimlet cmin -i corpus -o few --crashes bad --timeout 200ms -- ./rpn > log.txt 2> log.err
same '348 inputs: 343 run, 1 duplicates, 4 left out, 2 crash or meet a limit' "$(head -n 1 log.txt)"
grep -q 'corpus/huge is left out: it has 1073741824 bytes, the limit is 16777216' log.err
grep -q 'corpus/pipe is left out: it is no file' log.err
grep -q 'corpus/dangling is left out: No such file' log.err
grep -q 'corpus/folder is left out: it is no file' log.err
grep -q 'corpus/crash: the program was killed by signal 8, SIGFPE' log.err
same 'crash hang' "$(ls bad | xargs)"
[ "$(ls few | wc -l)" -le 5 ]
# They take every branch that all take.
rm -r corpus/folder corpus/pipe corpus/huge corpus/dangling corpus/crash corpus/hang
gimlet cmin -i few -o fewer -- ./rpn > log.fewer
same "$(sed -n 's/.*counts (\([0-9]*\)).*/\1/p' log.txt)" "$(sed -n 's/.*counts (\([0-9]*\)).*/\1/p' log.fewer)"
same "$(ls few)" "$(ls fewer)"
# The queue of a search, and an order that does not matter.
gimlet cmin out -o queue > log.txt
[ "$(ls queue | wc -l)" -ge 1 ]
gimlet cmin -i corpus -i one -o few2 -- ./rpn > log.txt
gimlet cmin -i corpus -i one -o few3 -- ./rpn > log.txt
diff -r few2 few3

# What is wrong is said.
fails 2 gimlet cmin -i corpus -o few -- ./rpn 2> log.txt
grep -q 'few is not empty' log.txt
fails 2 gimlet cmin -i nowhere -o new -- ./rpn 2> log.txt
grep -q 'cannot read the inputs in nowhere' log.txt
fails 2 gimlet tmin nowhere -- ./rpn 2> log.txt
grep -q 'cannot read nowhere' log.txt
fails 2 gimlet tmin crash 2> log.txt
grep -q 'no folder of results, and no program is named' log.txt
fails 2 gimlet tmin out -- ./rpn 2> log.txt
grep -q 'leave the program out' log.txt
fails 2 gimlet tmin -o one crash -- ./rpn 2> log.txt
grep -q 'one is a folder' log.txt
fails 2 gimlet tmin -o nowhere/small crash -- ./rpn > log.txt 2>&1
grep -q 'cannot write nowhere/small' log.txt
mkdir useless
cp crash useless
fails 2 gimlet cmin -i useless -o new -- ./rpn > log.txt 2>&1
grep -q 'none of 1 inputs can be kept' log.txt
