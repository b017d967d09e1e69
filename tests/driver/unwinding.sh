# Frames that an exception or longjmp leaves are out of the way: variables are found, and nobody goes round in a circle.
cat > throws.cc << 'EOC'
// Exceptions that leave frames with variables, then others at the same places.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>
extern "C" __attribute__((noinline)) int weigh(const unsigned char *table, unsigned char at)
{
    return table[at & 7];
}
struct Cleanup {
    int *count;
    ~Cleanup() { ++*count; }
};
static __attribute__((noinline)) int check(const unsigned char *in, int depth, int *count)
{
    Cleanup cleanup{count};
    unsigned char table[8];
    for (int i = 0; i < 8; i++)
        table[i] = (unsigned char)(i * 5 + depth);
    if (depth > 0)
        return check(in + 1, depth - 1, count) + weigh(table, in[0]);
    if (in[0] > 'm')
        throw std::runtime_error("large");
    if (in[0] == '!')
        throw 7;
    return weigh(table, in[0]);
}
int main()
{
    unsigned char in[8] = {0};
    // Memory that nobody entered in a list.
    unsigned char *heap = new unsigned char[8]{3, 1, 4, 1, 5, 9, 2, 6};
    int n_unwound = 0, sum = 0;
    if (read(0, in, sizeof in) < 0)
        return 1;
    for (int i = 0; i < 5; i++) {
        try {
            sum += check(in + i, i & 3, &n_unwound);
        } catch (const std::exception &error) {
            sum += 100 + weigh(heap, in[i]);
        } catch (int number) {
            sum += number;
        }
        if (weigh(heap, in[i]) == 9)
            std::puts("nine");
    }
    std::printf("%d %d\n", sum, n_unwound);
    if (sum == 511)
        std::puts("found");
    return 0;
}
EOC
cat > native.cc << 'EOC'
extern "C" int guarded(int (*f)(const unsigned char *, int), const unsigned char *in, int n)
{
    try { return f(in, n); } catch (...) { return -1; }
}
EOC
cat > caller.cc << 'EOC'
#include <cstdio>
#include <unistd.h>
extern "C" int guarded(int (*f)(const unsigned char *, int), const unsigned char *in, int n);
extern "C" __attribute__((noinline)) int weigh(const unsigned char *table, unsigned char at)
{
    return table[at & 7];
}
static __attribute__((noinline)) int check(const unsigned char *in, int n)
{
    unsigned char table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int sum = weigh(in + 4096, in[n]) + weigh(table, in[n]);
    if (in[n] > 'm')
        throw n;
    return sum;
}
int main()
{
    unsigned char *in = new unsigned char[8192]();
    if (read(0, in, 8) < 0)
        return 1;
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += guarded(check, in, i);
    std::printf("%d\n", sum);
    return 0;
}
EOC
printf 'abzz!zxy' > throws.in
printf 'azzbzzzy' > caller.in
# Code that is not instrumented catches what was thrown through it.
clang++-19 -O1 -c native.cc
for level in -O0 -O1 -O2; do
    gimlet-c++ $level throws.cc -o throws
    gimlet-c++ $level caller.cc native.o -o caller 2> /dev/null
    for name in throws caller; do
        fails 0 timeout 60 gimlet trace --timeout 5s --stdin $name.in -- ./$name > trace.txt 2>&1
        grep -q 'the program exited with code 0' trace.txt || { cat trace.txt >&2; exit 1; }
    done
done

# A function that setjmp returned to still has its variables.
cat > jumps.c << 'EOC'
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
static jmp_buf handler;
static __attribute__((noinline)) int look(const unsigned char *table, unsigned char at) { return table[at & 7]; }
static __attribute__((noinline)) int descend(const unsigned char *in, int depth)
{
    unsigned char table[8] = {0, 7, 1, 6, 2, 5, 3, 4};
    if (depth > 0)
        return descend(in, depth - 1) + look(table, in[1]);
    longjmp(handler, 1 + look(table, in[0]));
}
int main(void)
{
    unsigned char in[4] = {0}, table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    volatile int round = 0;
    if (read(0, in, sizeof in) < 0)
        return 1;
    for (round = 0; round < 4; round++) {
        if (setjmp(handler) == 0)
            descend(in, round);
        if (look(table, in[round]) == 9)
            puts("nine");
    }
    return 0;
}
EOC
gimlet-cc -O1 jumps.c -o jumps
printf 'cq!b' > jumps.in
gimlet trace --stdin jumps.in -- ./jumps > trace.txt
grep -q 'the program exited with code 0' trace.txt
lacks 'unknown object' cat trace.txt

# Labels go through calls that may unwind, out with an exception, and not into what native code has caught.
cat > labels.cc << 'EOC'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
extern "C" int guarded(int (*f)(const unsigned char *, int), const unsigned char *in, int n);
struct Count {
    int *count;
    ~Count() { ++*count; }
};
static __attribute__((noinline)) int twice(unsigned char byte) { return 2 * byte; }
static __attribute__((noinline)) int check(const unsigned char *in, int n)
{
    if (in[n] == 'x')
        throw twice(in[n + 1]);
    return twice(in[n]);
}
static int leave(const unsigned char *in, int n)
{
    int sum = twice(in[n]);
    throw sum;
}
static int order(const void *a, const void *b)
{
    int one = *(const unsigned char *)a, other = *(const unsigned char *)b;
    if (one == '!' || other == '!')
        throw one + other;
    return one - other;
}
int main()
{
    unsigned char in[8] = {0};
    int count = 0;
    {
        Count counted{&count};
        if (read(0, in, sizeof in) < 0)
            return 1;
        try {
            Count inner{&count};
            if (check(in, 0) == 2 * 'a')
                std::puts("a");
        } catch (int thrown) {
            if (thrown == 2 * 'b')
                std::puts("threw b");
        }
        // What the callback computed before it threw is no label of this result.
        if (guarded(leave, in, 2) == -1)
            std::puts("caught outside");
        try {
            std::qsort(in + 4, 3, 1, order);
        } catch (int sum) {
            std::puts("not sorted");
        }
        if (twice(in[7]) == 2 * 'z')
            std::puts("z");
    }
    std::printf("%d\n", count);
    return 0;
}
EOC
printf 'xbczde!z' > labels.in
for level in -O0 -O2; do
    gimlet-c++ $level labels.cc native.o -o labels 2> /dev/null
    gimlet audit --changes 50 --stdin labels.in -- ./labels > audit.txt 2>&1 || { cat audit.txt >&2; exit 1; }
    gimlet trace --stdin labels.in -- ./labels > trace.txt 2>&1
    # The value thrown, and what is asked behind all of that.
    for condition in "== 0x62\|== 'b'" "== 0x7a\|== 'z'"; do
        grep -q -e "$condition" trace.txt || { echo "no $condition" >&2; cat trace.txt >&2; exit 1; }
    done
    gimlet flip --all --stdin labels.in -- ./labels > flips.txt 2>&1
    lacks 'elsewhere' cat flips.txt
done
