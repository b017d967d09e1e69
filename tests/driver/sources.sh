# Where a program's input comes from: what is refused, and what is said about input that nobody reads.
cat > reads.c <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    FILE *conf = fopen("prog.conf", "r");
    int c = f ? getc(f) : conf ? getc(conf) : '-';
    puts(c == 'x' ? "x" : "not x");
    if (getenv("WAIT")) {
        fclose(fopen("waits", "w"));
        pause();
    }
    return 0;
}
EOC
gimlet-cc -w reads.c -o prog
printf x > seed
mkdir directory

# refused COMMAND..: status 2, an error and a hint; prints the error.
refused() {
    fails 2 "$@" > out 2> err < /dev/null
    grep -q '^  hint: ' err || grep -q '^For more information' err || { cat err >&2; return 1; }
    sed -n '1s/^gimlet: error: //p' err
}
same "$(refused gimlet trace --file seed -- ./prog)" \
    "the input has a file for @@, but no argument of the program has that in it"
same "$(refused gimlet trace --file a=seed -- ./prog @@)" \
    "the input has a file for @a@, but no argument of the program has that in it"
same "$(refused gimlet trace -- ./prog @@)" "an argument of the program is @@, but the input has no file for it"
same "$(refused gimlet audit --file seed --file seed -- ./prog @@)" "the input has two sources named file"
same "$(refused gimlet flip --env A=1 --env A=2 -- ./prog)" 'the input has two sources named $A'
same "$(refused gimlet replay --open p=seed --open p=seed -- ./prog)" "the input has two sources named p"
same "$(refused gimlet trace --file directory -- ./prog @@)" \
    "cannot read input directory: Is a directory (os error 21)"
same "$(refused gimlet trace --socket none -- ./prog)" \
    "cannot read input none: No such file or directory (os error 2)"
same "$(refused gimlet trace --env GIMLET_DRIVER=1 -- ./prog)" \
    "'GIMLET_DRIVER' cannot be the name of an environment variable of the program"
refused gimlet trace --env =x -- ./prog
refused gimlet trace --env NO_SUCH_VARIABLE -- ./prog
refused gimlet trace --open seed -- ./prog

# The output is looked at before the program runs.
same "$(refused gimlet trace -o no/such/dir -- ./prog)" "cannot write no/such/dir: No such file or directory (os error 2)"
same "$(cat out)" ""
printf kept > old.trace
refused gimlet trace -o old.trace --file none -- ./prog @@ > /dev/null
same "$(cat old.trace)" kept
refused gimlet trace -o new.trace --file none -- ./prog @@ > /dev/null
[ ! -e new.trace ]

# Files at paths of the program's own.
same "$(gimlet trace --open prog.conf=seed -- ./prog 2>&1 > /dev/null < /dev/null)" x
same "$(gimlet replay --open ./prog.conf=seed -- ./prog 2> /dev/null < /dev/null)" x
same "$(./prog.plain)" "not x"

# Nobody reads it.
gimlet trace --quiet-target --socket 80=seed --open other.conf=seed -- ./prog > out 2> err < /dev/null
same "$(cat err)" "gimlet: note: the program never read other.conf: does it open this path, in code that gimlet-cc compiled?
gimlet: note: the program never read socket1:80: does it accept or make a connection, and at that port?"
gimlet trace --json --quiet-target --socket 80=seed -- ./prog 2> /dev/null < /dev/null | grep -q '"unread":\["socket1:80"\]'

# An interrupted run keeps its trace.
gimlet trace -o partial.trace --quiet-target --file seed --env WAIT=1 --timeout 60 -- ./prog @@ > out 2> err < /dev/null &
for _ in $(seq 300); do
    [ -e waits ] && break
    sleep 0.1
done
kill -TERM $!
fails 143 wait $!
grep -q 'the trace up to the interruption is in partial.trace' err
fails 2 gimlet show partial.trace > out 2> err
grep -q 'file\[0..4096\]: got 1' out
grep -q 'the program was interrupted by the user' out
