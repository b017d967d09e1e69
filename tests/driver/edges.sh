# The edge counters: in a section, and in a file where a driver names one.
cat > loop.c <<'EOF2'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile int total = 0;
    int n = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < n; i++)
        total += i;
    printf("%d\n", total);
    fflush(stdout);
    if (argc > 2)
        abort();
    return 0;
}
EOF2
# counter values of the only image, without zeroes
counted() {
    od -An -v -tu1 -w1 -j65536 "$1" | grep -v '^ *0$' | sort -n | tr -d '\n'
}
gimlet-cc -O1 loop.c -o loop
same "$(./loop.edges 7)" 21
readelf -SW loop.edges > sections
grep -q gimlet_counters sections
grep -q gimlet_edges sections
lacks gimlet_edges readelf -SW loop
lacks gimlet_edges readelf -SW loop.plain
: > map
same "$(GIMLET_EDGES_MAP=map ./loop.edges 7)" 21
same "$(head -c 8 map)" GIMLETED
same "$(od -An -tu4 -j8 -N8 map | tr -s ' ')" " 1 1"
counted map > first
# into the loop
grep -q 7 first
# another process adds to what is there, also one that crashes
GIMLET_EDGES_MAP=map fails 134 ./loop.edges 100 crash > /dev/null 2>&1
same "$(od -An -tu4 -j12 -N4 map | tr -d ' ')" 1
counted map > second
grep -q 107 second
# a file that can't be used changes nothing
same "$(GIMLET_EDGES_MAP=/nothere/map ./loop.edges 7)" 21
same "$(GIMLET_EDGES_MAP=/dev/null ./loop.edges 7)" 21
# a shared object is an image of its own
gimlet-cc -shared -fPIC twice.c -o libtwice.so
gimlet-cc main.c -L. -ltwice -Wl,-rpath,"$PWD" -o linked
: > map
same "$(GIMLET_EDGES_MAP=map fails 3 ./linked.edges)" 2
same "$(od -An -tu4 -j12 -N4 map | tr -d ' ')" 2
grep -q libtwice.so.edges map
gimlet-cc -O1 -static loop.c -o loop
: > map
same "$(GIMLET_EDGES_MAP=map ./loop.edges 7)" 21
counted map | grep -q 7
# what a loop counted is there after a crash inside it: 4096 turns, and 255 is followed by 1
cat > fault.c <<'EOF'
#include <stdlib.h>
#include <sys/mman.h>
int main(void)
{
    char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int n = 0;
    if (page == MAP_FAILED || munmap(page + 4096, 4096) != 0)
        return 1;
    while (page[n] == 0)
        n++;
    return n;
}
EOF
for level in -O0 -O2 -O3; do
    gimlet-cc $level fault.c -o fault
    : > map
    GIMLET_EDGES_MAP=map fails 139 ./fault.edges 2> /dev/null
    counted map | grep -q 16
done
