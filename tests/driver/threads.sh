# A finding of a program with threads is located, and the driver ends: threads that hang, that crash, and that begin others
# while one crashes.
cat > threads.c << 'EOC'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned char key[4];
static pthread_barrier_t both;
static void *nothing(void *who) { return who; }
static int visit(int who)
{
    pthread_barrier_wait(&both);
    if (who && key[0] == 'a')
        abort();
    while (key[0] == 'b')
        usleep(100);
    while (key[0] == 'c') {
        pthread_t one;
        if (pthread_create(&one, 0, nothing, 0) == 0)
            pthread_detach(one);
    }
    return who;
}
static void *begin(void *who)
{
    visit(who != 0);
    for (int i = 0; key[0] == 'a' && i < 1000; i++)
        usleep(1000);
    return 0;
}
int main(void)
{
    pthread_t first, second;
    if (read(0, key, sizeof key) != sizeof key)
        return 2;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&first, 0, begin, 0);
    pthread_create(&second, 0, begin, key);
    if (key[0] == 'c') {
        usleep(3000);
        abort();
    }
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
EOC
gimlet-cc -O1 -g -pthread threads.c -o threads
find_one() {
    local input=$1 expected=$2 status=0
    shift 2
    printf %s "$input" > seed
    rm -rf out
    timeout -k 5 60 gimlet run "$@" --strategy generational --timeout 300ms -i seed --stop-after-found 1 --budget 20s -o out -- ./threads > log.txt 2>&1 || status=$?
    same "$status" 10
    grep -q "^found $expected" log.txt || { cat log.txt >&2; exit 1; }
}
for confined in --no-ui --no-sandbox; do
    find_one axxx 'abort in visit at threads.c:11' $confined
    find_one bxxx 'timeout in ' $confined
    for _ in 1 $(is_all && echo 2 3); do
        find_one cxxx 'abort in main at threads.c:38' $confined
    done
done

# The driver ends when it is told to, also while it looks at such a run.
printf bxxx > seed
for seconds in 0.3 $(is_all && echo 0.8) 1.5; do
    began=$(date +%s%N)
    fails 124 timeout -k 20 "$seconds" gimlet run --strategy generational --timeout 2s -i seed --budget 60s -o "ended-$seconds" -- ./threads > log.txt 2>&1
    [ $(($(date +%s%N) - began)) -lt 5000000000 ] || { echo "ended late" >&2; exit 1; }
done
