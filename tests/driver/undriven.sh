# Without a driver a program behaves as clang's build, wherever it runs.
cat > look.c <<'EOF'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
extern char **environ;
static int depth(int n)
{
    volatile char frame[1024];
    frame[0] = (char)n;
    return n ? depth(n - 1) + (frame[0] == (char)n) : 0;
}
static void *run(void *argument)
{
    return argument;
}
/* What a program can see of how it was started, into the file of the first argument. */
int main(int argc, char **argv)
{
    FILE *out = fopen(argv[1], "w");
    char text[64] = "";
    fprintf(out, "%d arguments, %s\n", argc, argv[2]);
    for (char **at = environ; *at; at++)
        if (strncmp(*at, "_=", 2) != 0 && strncmp(*at, "LLVM_", 5) != 0)
            fprintf(out, "%s\n", *at);
    for (int fd = 0; fd < 20; fd++)
        fprintf(out, "%d", fcntl(fd, F_GETFD) < 0 ? 0 : 1);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        sigaction(number, NULL, &action);
        fprintf(out, "%d%d", sigismember(&blocked, number), action.sa_handler == SIG_IGN);
    }
    pthread_t thread;
    void *result = NULL;
    int error = pthread_create(&thread, NULL, run, argv);
    if (!error)
        pthread_join(thread, &result);
    fprintf(out, "\nthread %d %d\n", error, result == argv);
    fprintf(out, "depth %d\n", depth(atoi(argv[2])));
    ssize_t got = read(0, text, sizeof text);
    fprintf(out, "stdin %zd %s\n", got, got < 0 ? strerror(errno) : text);
    int printed = printf("to stdout\n") + fflush(stdout);
    fprintf(out, "stdout %d\n", printed);
    return 7;
}
EOF
echo input > input
# the same for both builds, under the command given; NAME is the build and OUT the file for what it sees
alike() {
    local status_1=0 status_2=0
    NAME=$PWD/prog OUT=ours bash -c "$1" < input > printed_1 2>&1 || status_1=$?
    NAME=$PWD/prog.plain OUT=theirs bash -c "$1" < input > printed_2 2>&1 || status_2=$?
    same "$status_1" "$status_2"
    same "$(cat printed_1)" "$(cat printed_2)"
    same "$(sed 's/prog.plain/prog/; /^NAME=/d; /^OUT=/d; s/ours/theirs/' ours)" \
        "$(sed 's/prog.plain/prog/; /^NAME=/d; /^OUT=/d' theirs)"
    grep -q '^depth' ours
}
deep=400000
for kind in '' -static -static-pie -no-pie; do
    gimlet-cc -O1 $kind -Wno-frame-larger-than look.c -o prog
    alike '$NAME $OUT 10'
    alike "ulimit -s unlimited; \$NAME \$OUT $deep"
    alike 'ulimit -s unlimited; setarch -R $NAME $OUT 10'
    alike 'setarch -R $NAME $OUT 10'
    alike 'setarch -L $NAME $OUT 10'
    # a directory tree without /proc
    alike "ulimit -s unlimited; bwrap --bind / / --tmpfs /proc \$NAME \$OUT $deep"
    alike 'bwrap --bind / / --tmpfs /proc $NAME $OUT 10'
done
alike 'env -i $NAME $OUT 10'
alike 'ulimit -s unlimited; env -i $NAME $OUT 10'
alike '$NAME $OUT 10 <&- >&-'
alike '$NAME $OUT 10 <&- >&- 2>&-'
alike 'trap "" INT PIPE; $NAME $OUT 10'
alike 'exec -a another $NAME $OUT 10'
alike 'find $NAME -exec {} $OUT 10 \;'
alike 'ulimit -s unlimited; cd / && PATH=${NAME%/*}:$PATH; ${NAME##*/} $OLDPWD/$OUT 10'
printf '#!%s from_script\n' "$PWD/prog" > script
printf '#!%s from_script\n' "$PWD/prog.plain" > script.plain
chmod +x script script.plain
alike 'cp script${NAME##*prog} s; ulimit -s unlimited; ./s; mv from_script $OUT'
fails 126 bash -c 'ulimit -v 4000000; ./prog ours 10' 2> said
grep -q 'ulimit -v' said
