# An interrupted compiler leaves nothing behind: no temporary files, no output, no processes.
mkdir tmp
export TMPDIR=$PWD/tmp
interrupt() {
    local signal=$1 status=0
    shift
    rm -f slow
    mkfifo slow
    env --default-signal=INT,TERM,HUP "$@" > said 2>&1 &
    # goes on as soon as somebody reads
    exec 9> slow
    kill -"$signal" $!
    wait $! || status=$?
    exec 9>&-
    same "$status" $((128 + $(kill -l "$signal")))
    same "$(ls tmp)" ""
    # nobody reads any more
    fails 124 timeout 0.3 bash -c ': > slow'
}
echo '#include "slow"' >> main.c
for signal in INT TERM HUP; do
    interrupt $signal gimlet-cc -O2 -c main.c
    interrupt $signal gimlet-cc -O2 main.c -o prog
done
sed -i '/slow/d' main.c
gimlet-cc -c main.c twice.c
for signal in INT TERM; do
    # the linker waits for its script
    interrupt $signal gimlet-cc main.o twice.o -Wl,-T,slow -o prog
    interrupt $signal gimlet-cc -shared twice.o -Wl,--version-script=slow -o libtwice.so
done
same "$(ls)" "$(printf '%s\n' main.c main.o said slow tmp twice.c twice.o)"
