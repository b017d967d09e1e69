# The memory build: what is wrong is said and ends the program, what is strange but right is not; across shared objects,
# threads and other libraries too. `gimlet run`, `replay` and `tmin` use it.
cat > strange.c <<'EOF'
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CONTAINER_OF(at, type, field) ((type *)((char *)(at) - offsetof(type, field)))
#define CHECK(what) ((what) ? (void)0 : (printf("line %d\n", __LINE__), exit(1)))

struct link { struct link *next; };
struct node { int number; struct link link; char name[]; };
union word { void *pointer; uintptr_t bits; unsigned char bytes[sizeof(void *)]; };

static struct link *list;

/* objects inside of others, found from a field */
static void containers(void)
{
    for (int i = 0; i < 5; i++) {
        struct node *node = malloc(sizeof *node + 8);
        node->number = i;
        sprintf(node->name, "node %d", i);
        node->link.next = list;
        list = &node->link;
    }
    int sum = 0;
    while (list) {
        struct node *node = CONTAINER_OF(list, struct node, link);
        CHECK(node->name[5] == '0' + node->number);
        sum += node->number;
        list = list->next;
        free(node);
    }
    CHECK(sum == 10);
}

/* an allocator of the program's own, blocks of which are reused */
static char arena[4096];
static size_t used;
static void *take(size_t n)
{
    void *at = arena + used;
    used += (n + 15) & ~(size_t)15;
    return used <= sizeof arena ? at : NULL;
}

static void own_allocator(void)
{
    for (int round = 0; round < 3; round++) {
        used = 0;
        int *a = take(40), *b = take(40);
        for (int i = 0; i < 10; i++)
            a[i] = b[i] = i;
        CHECK(a[9] == 9 && b - a >= 10);
    }
}

/* bits in pointers, pointers in integers, and in bytes that are copied one by one */
static void tagged(void)
{
    int *number = malloc(sizeof *number);
    *number = 7;
    uintptr_t tagged = (uintptr_t)number | 1;
    CHECK(*(int *)(tagged & ~(uintptr_t)1) == 7);
    union word word = { .pointer = number }, copy;
    for (size_t i = 0; i < sizeof word; i++)
        copy.bytes[i] = word.bytes[i];
    CHECK(*(int *)copy.pointer == 7);
    char *moved = (char *)number + 3;
    moved -= 3;
    CHECK(*(int *)moved == 7);
    uint32_t low = (uint32_t)(uintptr_t)number, high = (uint32_t)((uintptr_t)number >> 32);
    CHECK(*(int *)((uintptr_t)high << 32 | low) == 7);
    free(number);
}

/* pointers that are moved along with their block */
static void growing(void)
{
    size_t room = 4, n = 0;
    char *text = malloc(room), *at = text;
    for (int i = 0; i < 20000; i++) {
        if (n + 1 >= room) {
            char *bigger = realloc(text, room *= 2);
            at += bigger - text;
            text = bigger;
        }
        *at++ = (char)('a' + i % 26);
        n++;
    }
    *at = '\0';
    CHECK(strlen(text) == 20000 && text[19999] == 'a' + 19999 % 26);
    free(text);
}

static jmp_buf back;
static int *leaked;
static void leave(int depth)
{
    int here[4] = { depth, depth, depth, depth };
    leaked = here;
    if (depth == 0)
        longjmp(back, 1);
    leave(depth - 1);
    here[1] = depth;
}

/* frames that are left by longjmp, and made again */
static void jumps(void)
{
    volatile int n = 0;
    for (int i = 0; i < 50; i++) {
        char buffer[32];
        if (setjmp(back) == 0)
            leave(i);
        n++;
        memset(buffer, i, sizeof buffer);
        CHECK(buffer[31] == (char)i);
    }
    CHECK(n == 50);
}

static int frames(int n)
{
    char vla[n + 1];
    memset(vla, n, (size_t)n + 1);
    for (int i = 0; i < 3; i++) {
        char *more = alloca((size_t)n + 1);
        more[n] = vla[n];
        CHECK(more[n] == n);
    }
    return n == 0 ? 0 : vla[n] + frames(n - 1);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = 0;
    while (n-- > 0)
        total += *va_arg(list, int *);
    va_end(list);
    return total;
}

struct pair { char *first; char *second; };
static struct pair halves(char *text)
{
    return (struct pair){ text, text + strlen(text) / 2 };
}

static void *thread(void *argument)
{
    int numbers[64];
    for (int i = 0; i < 64; i++) {
        numbers[i] = i;
        char *block = malloc((size_t)i + 1);
        block[i] = 1;
        free(block);
    }
    *(int *)argument = numbers[63];
    return argument;
}

/* what other code gives, calls or keeps */
static void others(void)
{
    int numbers[] = { 3, 1, 2 };
    qsort(numbers, 3, sizeof *numbers, by_number);
    CHECK(numbers[0] == 1 && numbers[2] == 3);
    CHECK(sum(3, numbers, numbers + 1, numbers + 2) == 6);
    struct pair pair = halves((char[]){ "leftright" });
    CHECK(pair.second[0] == 'r' || pair.second[0] == 't');
    char *line = NULL, *copy = strdup("copied"), *end;
    size_t n_line = 0;
    FILE *memory = fmemopen(copy, 6, "r");
    CHECK(getline(&line, &n_line, memory) == 6 && strcmp(line, "copied") == 0);
    fclose(memory);
    CHECK(strtol("12x", &end, 10) == 12 && *end == 'x');
    char *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped[8191] = 1;
    munmap(mapped, 8192);
    char field[4];
    strncpy(field, "four", sizeof field);
    CHECK(memcmp(field, "four", 4) == 0 && strncmp(field, "fourth", 4) == 0);
    printf("%.4s %.*s\n", field, 2, field);
    free(line);
    free(copy);
    pthread_t threads[4];
    int results[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread, &results[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(results[i] == 63);
    }
}

int main(void)
{
    containers();
    own_allocator();
    tagged();
    growing();
    jumps();
    CHECK(frames(30) == 465);
    others();
    return 0;
}
EOF
for level in -O0 -O2; do
    gimlet-cc $level -w -fgimlet=memory strange.c -o strange -lpthread
    same "$(./strange.memory 2>&1)" "four fo"
done

# Library functions with one character too many, and without: ./calls NUMBER [LONGER].
cat > calls.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>
char *gets(char *);
int main(int argc, char **argv)
{
    int more = argc > 2;
    wchar_t wide[4] = L"", *heap = malloc(4 * sizeof *heap);
    char narrow[8] = "", path[4096];
    heap[0] = L'x', heap[1] = heap[2] = heap[3] = 0;
    switch (atoi(argv[1])) {
    case 0: wcscpy(wide, more ? L"abcd" : L"abc"); break;
    case 1: wcsncpy(heap, L"a", 4 + more); break;
    case 2: wcscat(heap, more ? L"bcd" : L"bc"); break;
    case 3: wmemset(wide, L'x', 4 + more); break;
    case 4: wmemcpy(heap, L"longer", 4 + more); break;
    case 5: swprintf(wide, 9, L"%d", more ? 1234 : 123); break;
    case 6: wmemset(heap, L'x', 3 + more); printf("%zu\n", wcslen(heap)); break;
    case 7: fgetws(wide, 9, stdin); break;
    case 8: gets(narrow); break;
    case 9: mbstowcs(heap, more ? "four" : "for", 9); break;
    case 10: wmemset(heap, L'x', 3 + more); printf("%d\n", wcscmp(heap, wmemset(wide, L'x', 4)) < 0); break;
    case 11: wcsncat(wide, L"longer", 3 + more); break;
    case 12: getcwd(more ? narrow : path, sizeof path); break;
    }
    return 0;
}
EOF
gimlet-cc -g -O1 -w --with=memory calls.c -o calls
for number in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    case $number in 7) short=abc long=abcd ;; *) short=1234567 long=12345678 ;; esac
    printf %s "$short" > short
    printf %s "$long" > long
    ./calls.memory $number < short > /dev/null
    fails 134 ./calls.memory $number more < long 2> said > /dev/null
    case $number in
    6) expected=unterminated-string ;;
    0 | 3 | 5 | 7 | 8 | 11 | 12) expected=stack-out-of-bounds ;;
    *) expected=heap-out-of-bounds ;;
    esac
    grep -q "^kind: $expected$" said || { echo "call $number" >&2; cat said >&2; exit 1; }
done

# A pointer belongs to its object across a shared object, also where it points into another one.
cat > table.c <<'EOF'
static int cells[8];
int other[64];
int *cell(int *from, int index) { return (from ? from : cells) + index; }
EOF
cat > user.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int *cell(int *from, int index);
extern int other[64];
int main(int argc, char **argv)
{
    int index = argc > 1 ? atoi(argv[1]) : 0;
    int own[4] = { 1, 2, 3, 4 };
    *cell(NULL, index) = 5;
    *cell(other, index * 7) = 6;
    printf("%d\n", *cell(own, index / 2));
    return 0;
}
EOF
gimlet-cc -g -O1 -fPIC -shared --with=memory table.c -o libtable.so
gimlet-cc -g -O1 --with=memory user.c -o user -L. -ltable -Wl,-rpath,"$PWD"
same "$(./user.memory 7)" 4
fails 134 ./user.memory 8 2> said
grep -q '^kind: global-out-of-bounds$' said
grep -q '^size: 32$' said
fails 10 gimlet replay -- ./user 8 2> said
grep -q 'global-out-of-bounds: writes 4 bytes, 0 bytes behind the end of the global cells of 32 bytes' said
grep -q 'main at .*user.c:9' said

# What was freed is told with where it was made and freed; the search finds the input, and makes it small.
cat > names.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct name { char text[8]; };
static struct name *make(const char *text)
{
    struct name *name = malloc(sizeof *name);
    strncpy(name->text, text, sizeof name->text - 1);
    name->text[7] = '\0';
    return name;
}
static void drop(struct name *name)
{
    free(name);
}
int main(void)
{
    char line[16] = "";
    struct name *name = make("nobody");
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == '+') {
            drop(name);
            name = make(line + 1);
        } else if (strcmp(line, "-all\n") == 0) {
            drop(name);
        } else if (line[0] == '?') {
            puts(name->text);
        }
    }
    return 0;
}
EOF
gimlet-cc -g -O1 --with=memory,asan names.c -o names
printf '+me\n?\n-any\n?\n' > seed
fails 10 gimlet run --no-ui --budget 60s --stop-after-found 1 -i seed -o found -- ./names > said
grep -q 'found use-after-free in main at names.c:2[2-9]\|found double-free in drop at names.c:14' said
grep -q 'a heap block of 8 bytes, allocated in make (.*names.c:7), freed in drop (.*names.c:14)' said
grep -q '; sanitizers: .*free' said
fails 10 sh found/reports/000000-*-free.sh 2> said
grep -q '^gimlet: .*-free: ' said
grep -q 'main at .*names.c' found/reports/000000-*-free.txt
grep -q '^the way there:$' found/reports/000000-*-free.txt
grep -q 'names.c:2[0-9]:.* main ' found/reports/000000-*-free.txt
gimlet tmin found > said
fails 10 gimlet replay --stdin found/minimised/crashes/id* -- ./names 2> said
grep -q '^gimlet: .*-free: ' said
rm -r found

# Leaks are told on request, and that takes the build.
cat > lost.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
static char *kept;
int main(void)
{
    int c = getchar();
    char *block = malloc(10);
    if (c == 'k')
        kept = block + 3;
    else if (c != 'l')
        free(block);
    return 0;
}
EOF
gimlet-cc -g --with=memory lost.c -o lost
printf f > seed
fails 10 gimlet run --no-ui --leaks --steps 400 -i seed -o leaks -- ./lost > said
grep -q 'found leak in main at lost.c:7' said
same "$(grep -c '^found' said)" 1
gimlet run --no-ui --steps 200 -i seed -o none -- ./lost > said
lacks '^found' cat said
gimlet-cc lost.c -o unchecked
fails 2 gimlet run --leaks --steps 5 -o nothing -- ./unchecked 2> said
grep -q 'with=memory' said

# Two runs of an input differ in the filling alone: neither the environment nor paths tell them apart. What decides is told.
cat > fresh.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
extern char **environ;
int main(int argc, char **argv)
{
    unsigned hash = argc;
    for (char **variable = environ; *variable; variable++)
        for (char *at = *variable; *at; at++)
            if (*at > 'a')
                hash++;
    for (char *at = argv[1]; *at; at++)
        hash = *at == 'x' ? hash + 1 : hash * 2;
    int *cells = malloc(4 * sizeof *cells);
    FILE *file = fopen(argv[1], "r");
    int c = file ? getc(file) : 0;
    cells[1] = c;
    struct { unsigned low : 3, rest : 29; } bits;
    bits.low = hash;
    static const char names[4][4] = { "one", "two", "red", "ten" };
    /* padding, parts and what is copied without being looked at */
    int copy[4];
    for (int i = 0; i < 4; i++)
        copy[i] = cells[i];
    if (bits.low == 3 && copy[1] == 'q')
        puts("three");
    if (c == 'u')
        puts(names[copy[2] & 3]);
    return 0;
}
EOF
gimlet-cc -g -O1 -w --with=memory fresh.c -o fresh
printf a > seed
fails 10 gimlet run --no-ui --steps 400 -i seed -o fresh-tests -- ./fresh @@ > said
grep -q 'found uninitialised in main at fresh.c:27' said
same "$(grep -c '^found' said)" 1
GIMLET_MEMORY_FILL=ff ./fresh.memory seed

# Shifts and overflow end the program on request, and are looked for then.
cat > sums.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int area(int a) { return a * a; }
__attribute__((noinline)) static unsigned bit(int n) { return 1u << n; }
int main(void)
{
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    int n = atoi(line + 1);
    if (line[0] == 'a')
        printf("%d\n", area(n));
    else if (line[0] == 's')
        printf("%u\n", bit(n));
    return 0;
}
EOF
printf 'a12\n' > seed
gimlet-cc -g -O2 --with=asan --checks=shift,overflow sums.c -o sums
fails 10 gimlet run --no-ui --budget 40s --stop-after-found 2 -i seed -o sums-tests -- ./sums > said
grep -q 'found signed-overflow in area at sums.c:3' said
grep -q 'found shift-out-of-range in bit at sums.c:4' said
GIMLET_CHECKS=shift gimlet-cc -O1 sums.c -o shifts
printf 'a99999\n' | ./shifts > /dev/null
printf 's40\n' > long
fails 134 ./shifts < long 2> /dev/null
fails 2 gimlet-cc --checks=speed sums.c -o wrong 2> said
grep -q "unknown value 'speed' in --checks=; known: shift, overflow" said

# What differs from run to run is no memory that nobody wrote to; a pointer that nobody set is.
cat > chance.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
struct item { int number; int *value; };
int main(void)
{
    unsigned char dice[2];
    struct timespec now;
    if (getentropy(dice, sizeof dice) || clock_gettime(CLOCK_MONOTONIC, &now))
        return 1;
    if (dice[0] & 1)
        puts("odd");
    if (now.tv_nsec / 1000 % 2)
        puts("late");
    struct item *item = malloc(sizeof *item);
    item->number = getchar();
    if (item->number == 'q')
        printf("%d\n", *item->value);
    free(item);
    return 0;
}
EOF
gimlet-cc -g -O1 -w --with=memory chance.c -o chance
printf a > seed
fails 10 gimlet run --no-ui --steps 600 -i seed -o chance-tests -- ./chance > said 2> /dev/null
grep -q 'found uninitialised in main at chance.c:19' said
same "$(grep -c '^found' said)" 1

# Bugs of other processes count, too; and what an invoke of C++ gives has an object.
cat > child.cc <<'EOF'
#include <cstdio>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
int main()
{
    int c = getchar();
    if (fork() == 0) {
        std::unique_ptr<int[]> cells(new int[4]);
        cells[c == 'x' ? 4 : 3] = 1;
        _exit(cells[0] == 7);
    }
    wait(nullptr);
}
EOF
gimlet-c++ -g -O1 -w --with=memory child.cc -o child
fails 10 gimlet run --no-ui --budget 30s --stop-after-found 1 -i seed -o child-tests -- ./child > said 2> /dev/null
grep -q 'found heap-out-of-bounds in main at child.cc:10\|found heap-out-of-bounds in .*operator' said

# Tests that hide what programs say, and how they end: a log has it, with the programs' own children.
cat > hidden.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
static void change(char *cells, int n)
{
    cells[n] = 1;
}
int main(int argc, char **argv)
{
    if (argc == 1)
        return system("./hidden.memory again 2> said < /dev/null || true");
    close(1);
    close(2);
    char *cells = calloc(4, 1);
    change(cells, argc + 1);
    return cells[0] == argv[1][0];
}
EOF
gimlet-cc -g -O1 --with=memory hidden.c -o hidden
GIMLET_MEMORY_LOG=$PWD/log ./hidden.memory
same "$(cat log)" "run: $PWD/hidden.memory
run: $PWD/hidden.memory"
sed -i 's/argc + 1/argc + 2/' hidden.c
gimlet-cc -g -O1 --with=memory hidden.c -o hidden
rm log
GIMLET_MEMORY_LOG=$PWD/log ./hidden.memory
same "$(grep -c '^run: ' log) $(grep '^kind: ' log)" "2 kind: heap-out-of-bounds"
# The call is before the address that it returns to.
grep "^at: 0x[0-9a-f]* $PWD/hidden.memory$" log | while read -r _ at _; do
    printf '%#x\n' $((at - 1))
done > frames
xargs llvm-symbolizer-19 --basenames --obj=hidden.memory < frames > places
same "$(grep -x -A1 change places | tail -n 1 | cut -d: -f1,2)" "hidden.c:5"
GIMLET_MEMORY_LOG=/nowhere/log ./hidden.memory 2> unwritten
grep -q '^gimlet: cannot write the log /nowhere/log$' unwritten

# Other code may hold any number where a frame pointer would be, while it makes and frees memory.
cat > other.s <<'EOF'
    .globl free_as
free_as:
    push %rbp
    mov %rsi, %rbp
    call free@PLT
    pop %rbp
    ret
    .section .note.GNU-stack,"",@progbits
EOF
cat > frames.c <<'EOF'
#include <stdlib.h>
void free_as(void *block, unsigned long frame);
int main(void)
{
    for (unsigned long bit = 3; bit < 64; bit++) {
        free_as(malloc(8), -(1ul << bit));
        free_as(malloc(8), 1ul << bit);
    }
    return 0;
}
EOF
clang-19 -c other.s -o other.o
gimlet-cc -O1 --with=memory frames.c other.o -o frames
./frames.memory

# A build that is not made any more is not taken for one of this program; some can't be made.
gimlet-cc -w lost.c -o lost
same "$(echo lost.*)" "lost.c lost.edges lost.plain"
gimlet-cc -static --with=memory lost.c -o lost 2> said
grep -q 'no memory build of lost: memory of a static program is not checked' said
