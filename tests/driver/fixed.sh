# What is not input is the same in every run of a search, in all builds, and of libraries that nobody instrumented as well.
cat > helper.c << 'EOC'
#include <sys/random.h>
#include <time.h>
long helped(void)
{
    unsigned short chance = 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return getrandom(&chance, sizeof chance, 0) == 2 ? now.tv_sec * 100000 + chance : -1;
}
EOC
cat > world.c << 'EOC'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
long helped(void);
static unsigned long long sum;
static void add(const void *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + ((const unsigned char *)at)[i];
}
#define ADD(value) do { __typeof__(value) v; memset(&v, 0, sizeof v); v = (value); add(&v, sizeof v); } while (0)
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void *sleeper(void *how)
{
    if (how)
        poll(NULL, 0, -1);
    else
        sleep(1000);
    return NULL;
}
int main(void)
{
    int first = getchar();
    struct timeval tv;
    struct rusage usage;
    struct tms tms;
    unsigned char bytes[40];
    ADD(time(NULL));
    gettimeofday(&tv, NULL);
    add(&tv, sizeof tv);
    ADD(now());
    ADD(clock());
    ADD(times(&tms));
    getrusage(RUSAGE_SELF, &usage);
    add(&usage, sizeof usage);
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes || getentropy(bytes + 20, 20) != 0)
        abort();
    add(bytes, sizeof bytes);
    add((void *)getauxval(AT_RANDOM), 16);
    ADD(sched_getcpu());
    ADD(helped());
    srand(time(NULL));
    ADD(rand());
    printf("%llx\n", sum);

    /* Loops that wait for a time end, whatever they wait with. */
    time_t end = time(NULL) + 3;
    if (first == 'w')
        while (time(NULL) < end)
            ;
    for (double limit = now() + 0.2; now() < limit;)
        usleep(50000);
    for (double limit = now() + 0.2; now() < limit;)
        poll(NULL, 0, 50);
    for (double limit = now() + 0.2; now() < limit;) {
        struct timeval wait = {0, 50000};
        if (select(0, NULL, NULL, NULL, &wait) != 0 || wait.tv_usec != 0)
            abort();
    }
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += 1;
    if (first == 'a' && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) != 0)
        abort();
    /* A moment of the fixed clock is past for the kernel. */
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_nsec = 0;
    moment.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &moment);
    /* Who waits can be cancelled. */
    for (long how = 0; how < 2; how++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, sleeper, (void *)how);
        struct timespec moment_long = {0, 20000000};
        nanosleep(&moment_long, NULL);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            abort();
    }
    puts(getenv("GIMLET_FIXED") ? "told" : "not told");
    return 0;
}
EOC
clang-19 -shared -fPIC -o libhelper.so helper.c
gimlet-cc --with=memory -g -o world world.c -L. -lhelper -Wl,-rpath,"$PWD" 2> warnings.txt
gimlet-cc -g -o clock -x c - << 'EOC'
#include <stdio.h>
#include <time.h>
int main(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    printf("%ld %ld\n", (long)t.tv_sec, t.tv_nsec);
    return 0;
}
EOC
printf wa > input
printf a > later
first=$(gimlet replay --stdin input -- ./world.plain)
same "${first#*$'\n'}" "not told"
for build in plain edges memory; do
    same "$(gimlet replay --stdin input -- "./world.$build")" "$first"
done
same "$(gimlet trace --stdin input -- ./world 2>&1 > /dev/null | head -n 2)" "$first"
gimlet replay --stdin later -- ./world.plain > later.txt
# Out of a search, and where the user wants it, the world is the real one.
for way in "gimlet replay --world real --" ""; do
    $way ./world.plain < later > one.txt
    $way ./world.plain < later > two.txt
    fails 1 cmp -s one.txt two.txt
    grep -q 'not told' one.txt
done
same "$(gimlet replay -- ./clock.plain < later)" "1000000000 1000000"
fails 1 test "$(./clock.plain)" = "1000000000 1000000"
# In static programs, too.
gimlet-cc -g -static -o still -x c - << 'EOC'
#include <stdio.h>
#include <time.h>
int main(void) { return printf("%ld\n", (long)time(NULL)) < 0; }
EOC
same "$(gimlet replay -- ./still.plain < later)" 1000000000
# What is read of /dev/urandom, in a search, where the program has mounts of its own.
cat > devices.c << 'EOC'
#include <stdio.h>
int main(void)
{
    unsigned char bytes[8];
    FILE *random = fopen("/dev/urandom", "rb");
    if (!random || fread(bytes, 1, sizeof bytes, random) != sizeof bytes)
        return 1;
    for (int i = 0; i < 8; i++)
        if (bytes[i] & 1)
            puts("odd");
    return getchar() == 'a';
}
EOC
gimlet-cc -g -O0 -o devices devices.c
is_stable() {
    gimlet run --no-ui --world "$1" -o "devices.$1" --budget 2s --summary devices.json -- ./devices > log.txt
    python3 -c 'import json; print(json.load(open("devices.json"))["stability"] == 1)'
}
if gimlet doctor | grep -q 'read-only mounts'; then
    same "$(is_stable fixed)" True
fi
same "$(is_stable real)" False
# A table that is seeded by the clock, as hash tables are: every run takes the way that was foretold.
cat > table.c << 'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
    char name[4] = "";
    unsigned slots[8] = {0}, n_same = 0;
    srand(time(NULL) ^ clock());
    unsigned seed = rand();
    if (fread(name, 1, 3, stdin) != 3)
        return 1;
    for (int i = 0; i < 3; i++)
        slots[(name[i] ^ seed >> i) % 8]++;
    for (int i = 0; i < 8; i++)
        n_same += slots[i] > 1;
    puts(n_same ? "some share" : "each its own");
    return 0;
}
EOC
gimlet-cc -g -O0 -o table table.c
printf abc > seed
gimlet run --no-ui --strategy generational -i seed -o out --steps 200 --summary sum.json -- ./table > log.txt
python3 - << 'EOP'
import json
summary = json.load(open("sum.json"))
assert summary["stability"] == 1 and summary["unstable"] == [], (summary["stability"], summary["unstable"])
assert summary["divergences"] == 0, summary["divergence_kinds"]
EOP
grep -q 'world' out/gimlet.json && exit 1
gimlet run --no-ui --world real -i seed -o real --steps 20 -- ./table > log.txt
grep -q '"world": *"real"' real/gimlet.json
# Who waits there is the program.
printf '#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    for (;;)\n        usleep(getchar() == 1 ? 10000 : 20000);\n}\n' > waits.c
gimlet-cc -g -O0 -o waits waits.c
fails 10 gimlet run --no-ui -i seed --timeout 300ms --stop-after-found 1 -o waiting -- ./waits > log.txt
grep -q 'found timeout in main at waits.c:5' log.txt
