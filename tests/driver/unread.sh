# Programs whose use of the input can't be followed are searched by mutation; one that never reads it is an error.
run() {
    gimlet run --no-ui "$@" > log.txt 2>&1 || [ $? -eq 10 ]
}
cat > child.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char line[64];
    FILE *child = popen("cat", "r");
    if (!child || !fgets(line, sizeof line, child))
        return 1;
    if (atoi(line) == 7)
        abort();
    return 0;
}
EOF
cat > through_file.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char line[64] = "";
    FILE *file = argc == 2 ? fopen("covert.txt", "w") : NULL;
    if (!file)
        return 2;
    fprintf(file, "%s", argv[1]);
    fclose(file);
    file = fopen("covert.txt", "r");
    if (!file || !fgets(line, sizeof line, file))
        return 3;
    fclose(file);
    if (atoi(line) == 7)
        abort();
    return 0;
}
EOF
cat > other.c <<'EOF'
#include <stdio.h>
int main(void)
{
    return getchar() == 'q';
}
EOF
for name in child through_file other; do
    gimlet-cc -g -O1 -o $name $name.c
done
run --len 4 --budget 60s --stop-after-found 1 -o child-out -- ./child
grep -q 'found abort in main at child.c:10' log.txt
lacks 'never read' cat log.txt
grep -q "what the program does with its input can't be followed" log.txt
run --symbolic-args --budget 60s --stop-after-found 1 -o file-out -- ./through_file 1
grep -q 'found abort in main at through_file.c:16' log.txt
lacks 'never read' cat log.txt
# With nothing found it goes on until its time is over.
sed 's/== 7/== 7777777/' child.c > deaf.c
gimlet-cc -g -O1 -o deaf deaf.c
run --len 4 --budget 1s -o deaf-out -- ./deaf
grep -q 'the time is over' log.txt
# What is never read is an error, with what to do.
fails 4 gimlet run --no-ui --budget 5s -o other-out -- ./other @@ > log.txt 2>&1
grep -q 'error: the program never read its input' log.txt
grep -q 'hint: it reads standard input: leave out @@' log.txt
fails 0 gimlet run --no-ui --budget 1s -o other-stdin -- ./other > log.txt 2>&1
# A program that does not come so far says why, and that is shown.
printf '#include <stdio.h>\nint main(void) { return fprintf(stderr, "cannot load maps\\n") > 0; }\n' > early.c
gimlet-cc -g -O1 -o early early.c
fails 4 gimlet run --no-ui --steps 5 -o early-out -- ./early @@ > log.txt 2>&1
grep -q 'note: it said: cannot load maps' log.txt
