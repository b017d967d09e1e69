# A program that defines functions of the C library is searched as well as one that does not.
#
# Each program below is the same one, with own.h before it: definitions, and USE, which calls them. What a search of it
# finds, and which branches of the program its tests take, must be the same as without. By default some of them are tried;
# GIMLET_TESTS=all tries all.

# First: nothing that is linked into a program refers to a name that it can define.
cat > empty.c << 'EOT2'
int main(void) { return 0; }
EOT2
gimlet-cc --with=memory empty.c -o empty
lib=$(dirname "$(command -v gimlet-cc)")
[ -e "$lib/libgimlet_runtime_linked.a" ] || lib=$lib/../lib/gimlet
undefined() {
    llvm-nm-19 -u "$1" 2> /dev/null | awk 'NF == 2 { print $2 }' | sort -u > wanted.txt
    llvm-nm-19 --defined-only "$1" 2> /dev/null | awk 'NF == 3 { print $3 }' | sort -u > defined.txt
    # C reserves names with two underscores, or one and a capital letter; _r_debug is the loader's.
    comm -23 wanted.txt defined.txt | grep -v -E '^(__|_[A-Z]|_r_debug$|anon[.]|gimlet_)'
}
# The heap, variables of getopt and stdio, and what a program is called by, belong to it; models of memcpy, memmove and
# memset call the program's.
may='^(aligned_alloc|calloc|free|malloc|memalign|posix_memalign|realloc|reallocarray|optarg|opterr|optind|optopt|stdin|memcpy|memmove|memset|LLVMFuzzer[A-Za-z]*)$'
for archive in runtime memory; do
    found=$(undefined "$lib/libgimlet_${archive}_linked.a" | grep -v -E "$may" || true)
    same "$archive: $found" "$archive: "
    llvm-nm-19 --defined-only "$lib/libgimlet_${archive}_linked.a" 2> /dev/null | grep ' gimlet_lib_str' > stubs.txt
done
# The support of twins, all of it: harnesses get a block of the heap, exit is called by its name in static programs alone,
# and dlopen is what the program calls.
gimlet-cc --with=memory -Wl,-u,gimlet_observe,-u,__wrap_dlopen,-u,__wrap_open empty.c -o empty
for twin in plain edges; do
    found=$(nm -u "empty.$twin" | awk '{ print $2 }' | sed 's/@.*//' | sort -u | grep -v -E '^(__|_[A-Z]|_r_debug$|gimlet_)' || true)
    found=$(echo "$found" | grep -v -E "$may|^(exit|dlopen)$" || true)
    same "$twin: $found" "$twin: "
    nm "empty.$twin" | grep ' __wrap_accept4' > accept.txt
done

cat > program.c << 'EOT2'
#include "own.h"
#ifdef BY_READ
extern long read(int, void *, unsigned long);
static int next(void) { unsigned char c; return read(0, &c, 1) == 1 ? c : -1; }
#else
extern int getchar(void);
static int next(void) { return getchar(); }
#endif
static int check(const unsigned char *s)
{
    volatile char small[4];
    if (s[0] != 'k')
        return 1;
    if (s[1] != 'e')
        return 2;
    if (s[2] < 'x')
        return 3;
#ifdef MEMORY
    small[s[3] & 7] = 1;
#else
    small[0] = 1;
    if (s[3] == 'Z')
        __builtin_trap();
#endif
    return s[4] > 'm' ? 4 : 5;
}
int main(void)
{
    static unsigned char line[6];
    int i, c;
    for (i = 0; i < 5 && (c = next()) >= 0; i++)
        line[i] = c;
    USE;
    return check(line);
}
EOT2
printf '#define USE (void)0\n' > nothing.h
printf 'qqqqqq' > seed

# Searches own.h: what was found, and the branches of program.c that the tests take.
search() {
    local flags=$1 found
    rm -rf program program.plain program.edges program.memory out out.lcov
    gimlet-cc -w -O1 $flags program.c -o program > log.txt 2>&1 || cat log.txt
    [ ! -s log.txt ] || cat log.txt
    gimlet run --steps 300 --no-ui -o out --stdin seed -- ./program > log.txt 2>&1 || [ $? = 10 ] || cat log.txt
    found=$(ls out/crashes 2> /dev/null | sed -n 's/.*kind:\([^,]*\).*/\1/p' | sort -u)
    gimlet cov --lcov out.lcov out > /dev/null
    awk -F'[:,]' '/^SF:/ { here = /program.c$/ } here && /^BRDA:/ && $NF != "-" && $NF > 0 { print $2, $4 }' out.lcov | sort -u > branches.txt
    echo "$found $(wc -l < branches.txt)"
}

n_tried=0
own() {
    local name=$1 flags=$2 extra=
    printf '%s\n#define USE %s\n' "$3" "$4" > own.h
    n_tried=$((n_tried + 1))
    case $flags in *READ*) extra=-DBY_READ ;; esac
    same "$name: $(search "$extra")" "$name: $(expected "$extra")"
    same "$name, memory: $(search "$extra --with=memory -DMEMORY")" "$name, memory: $(expected "$extra --with=memory -DMEMORY")"
}

# The same without definitions; once for each build.
expected() {
    local file="expected$(echo "$1" | tr -c 'A-Za-z\n' _)"
    if [ ! -e "$file" ]; then
        cp own.h kept.h
        cp nothing.h own.h
        search "$1" > "$file"
        cp kept.h own.h
    fi
    cat "$file"
}

SIZE='typedef unsigned long size;'
STRNCPY='char *strncpy(char *to, const char *from, size n) { size i; for (i = 0; i < n && from[i]; i++) to[i] = from[i]; for (; i < n; i++) to[i] = 0; return to; }'
own strncpy "" "$SIZE $STRNCPY" '{ char b[8]; strncpy(b, "abc", 8); }'
own strlen_of_another_type "" 'int strlen(int a, int b) { return a == b ? 7 : 9; }' 'strlen(1, 2)'
own read_write_close_lseek "" 'int read(int x) { return -x; } int write(void) { return -1; } int close(int fd) { return fd; } long lseek(int fd) { return fd; }' 'read(write())'
own environ_getenv_setenv "" 'char *environ = "none"; int getenv(int c) { return c; } int setenv(void) { return 1; } int unsetenv(void) { return 1; } int secure_getenv(void) { return 0; }' 'setenv() + getenv(1)'
own malloc_that_counts "" "$SIZE"' static char heap[1 << 20]; static size used; void *malloc(size n) { void *p = heap + used; used += (n + 15) & ~15ul; return used < sizeof heap ? p : 0; } void free(void *p) { (void)p; } void *calloc(size n, size m) { return malloc(n * m); } void *realloc(void *p, size n) { char *q = malloc(n); if (p && q) for (size i = 0; i < n; i++) q[i] = ((char *)p)[i]; return q; }' 'free(malloc(3))'
is_all || return 0

own strncpy_static "" "$SIZE static $STRNCPY" '{ char b[8]; strncpy(b, "abc", 8); }'
own memcpy "" "$SIZE"' void *memcpy(void *to, const void *from, size n) { for (size i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i]; return to; }' '{ char a[9], b[9] = "12345678"; memcpy(a, b, 9); }'
own memcpy_backwards "" "$SIZE"' void *memcpy(void *to, const void *from, size n) { while (n-- > 0) ((char *)to)[n] = ((const char *)from)[n] + 1; return to; }' '{ char a[4], b[4] = "abc"; memcpy(a, b, 4); }'
own memset "" "$SIZE"' void *memset(void *to, int c, size n) { for (size i = 0; i < n; i++) ((volatile char *)to)[i] = c; return to; }' '{ char a[400]; memset(a, 1, 400); }'
own memmove_memcmp_bcmp "" "$SIZE"' int memcmp(const void *a, const void *b, size n) { return n > 3; } int bcmp(const void *a, const void *b, size n) { return n > 3; } void *memmove(void *a, const void *b, size n) { return a; }' 'memcmp("a", "b", 1) + bcmp("a", "b", 1)'
own memcmp_static "" "static int memcmp(char *a) { return *a; }" 'memcmp("x")'
own strlen "" "$SIZE"' size strlen(const char *s) { size n = 0; while (s[n]) n++; return n; }' 'strlen("abc")'
own strlen_wrong "" "$SIZE"' size strlen(const char *s) { return 0; } size strnlen(const char *s, size n) { return 0; }' 'strlen("abc")'
own strcmp_strchr "" 'int strcmp(const char *a, const char *b) { return 1; } char *strchr(const char *s, int c) { return 0; } int strncmp(void) { return 1; }' 'strcmp("a", "a")'
own strcpy_strcat "" 'char *strcpy(char *a, const char *b) { return a; } char *strcat(char *a, const char *b) { return a; } char *strrchr(const char *a) { return 0; }' 'strcpy("a", "b")'
own malloc_that_fails "" "$SIZE"' void *malloc(size n) { return 0; } void free(void *p) {}' 'malloc(4)'
own malloc_static "" "$SIZE"' static char room[64]; static void *malloc(size n) { return room; } static void free(void *p) {}' 'free(malloc(4))'
own calloc_of_another_type "" 'int calloc(int n) { return n; } int memalign(void) { return 0; }' 'calloc(memalign())'
own open "" 'int open(const char *path, int flags, ...) { return -1; } int openat(int d, const char *path, int flags, ...) { return -1; } int access(const char *p, int m) { return -1; } int stat(void) { return -1; } int fstat(void) { return -1; }' 'open("x", 0)'
own open_of_another_type "" 'double open(double x) { return x + 1; } int creat; char *readlink = "r";' 'open(1.5)'
own read_static READ 'extern long read(int, void *, unsigned long); static int open(int x) { return x; } static int close(int x) { return x; }' 'close(open(1))'
own write "" "$SIZE"' long write(int fd, const void *p, size n) { return n; } long writev(void) { return 0; } long pread(void) { return -1; }' 'write(1, "x", 1)'
own sscanf_snprintf "" 'int sscanf(const char *a, const char *b, ...) { return 0; } int snprintf(char *a, unsigned long n, const char *f, ...) { return 0; } int vsnprintf(void) { return 0; } int sprintf(void) { return 0; } int vsscanf(void) { return 0; } int vsprintf(void) { return 0; }' 'sscanf("1", "%d")'
own printf READ 'int printf(const char *f, ...) { return 0; } int puts(const char *s) { return 0; } int fprintf(void) { return 0; } int dprintf(void) { return 0; } int vfprintf(void) { return 0; } int fputs(void) { return 0; } int putchar(int c) { return c; }' 'printf("x")'
own fopen_fread READ 'int fopen(const char *p) { return 0; } int fread(void) { return 0; } int fgets(void) { return 0; } int getc(void) { return 0; } int getchar(void) { return -1; } int fclose(void) { return 0; } int fileno(void) { return -1; }' 'fopen("x")'
own mmap "" 'int mmap(int x) { return -x; } int munmap(void) { return -1; } int mremap(void) { return -1; } int madvise(void) { return -1; } int mprotect(void) { return -1; }' 'mmap(munmap())'
own fork_waitpid "" 'int fork(void) { return -1; } int vfork_(void); int waitpid(int p, int *s, int o) { return -1; } int wait(void) { return -1; } int wait4(void) { return -1; } int waitid(void) { return -1; }' 'fork() + waitpid(1, 0, 0)'
own fork_of_another_type "" 'char fork[40]; struct wait { int x; } wait;' 'fork[1]'
own exit "" 'static int left; void exit(int s) { left = s; extern void _exit(int); _exit(s); } int atexit(void) { return -1; }' '(void)0'
own _exit_abort "" 'int left; void _exit(int x) { for (;;) left = x; } void abort(void) { for (;;) left = 1; } int raise(int x) { return x; } int kill(int x) { return x; }' '(void)(raise(1) + kill(2))'
own syscall "" 'long syscall(long n, ...) { return -1; } int getpid(void) { return -1; } int gettid(void) { return 3; } int prctl(void) { return -1; } int getauxval(void) { return 0; }' 'syscall(1) + getpid()'
own signals "" 'int signal(int n) { return n; } int sigaction(void) { return -1; } int sigprocmask(void) { return -1; } int sigemptyset(void) { return -1; } int sigaddset(void) { return -1; } int pthread_sigmask(void) { return -1; } int sigaltstack(void) { return -1; }' 'signal(1)'
own poll_select "" 'int poll(int n) { return n; } int ppoll(void) { return -1; } int select(int a) { return a; } int epoll_wait(void) { return -1; }' 'poll(1) + select(2)'
own dup_fcntl "" 'int dup2(int a, int b) { return -1; } int dup(int a) { return -1; } int dup3(void) { return -1; } int fcntl(int fd, int c, ...) { return -1; } int ioctl(int a) { return -1; } int flock(void) { return -1; } int ftruncate(void) { return -1; }' 'dup2(1, 2) + fcntl(1, 2)'
own sockets "" 'int socket(int a) { return a; } int send(int a) { return a; } int recv(int a) { return a; } int sendto(void) { return -1; } int recvfrom(void) { return -1; } int socketpair(void) { return -1; } int shutdown(void) { return -1; } int bind(void) { return 0; } int getsockopt(void) { return 0; }' 'socket(1) + send(2) + recv(3)'
own loader "" 'int dladdr(void) { return 0; } int dlopen(int x) { return x; } int dlsym(void) { return 0; } int dlerror(void) { return 0; } int dl_iterate_phdr(void) { return 0; }' 'dlopen(1) + dladdr()'
own time "" 'long time(long *t) { return 7; } int clock_gettime(void) { return -1; } int gettimeofday(void) { return -1; } int localtime(int x) { return x; } int nanosleep(void) { return 0; }' 'time(0)'
own qsort_bsearch "" 'int qsort(int a, int b) { return a < b; } int bsearch(void) { return 0; } int lfind; int tsearch(int x) { return x; }' 'qsort(1, 2)'
own ctype "" 'int isalpha(int c) { return 1; } int isspace(int c) { return 0; } int tolower(int c) { return c; } int toupper(int c) { return c; } int isdigit(int c) { return 1; }' 'isalpha(1) + tolower(2)'
own numbers "" 'int atoi(const char *s) { return 3; } long strtol(const char *s, char **e, int b) { return 4; } unsigned long strtoul(int x) { return x; } double strtod(const char *s) { return 1; } int localeconv(void) { return 0; } int nl_langinfo(void) { return 0; }' 'atoi("1") + strtol("1", 0, 10)'
own getopt "" 'int optind = 5; char *optarg = "x"; int opterr, optopt; int getopt(int a) { return -1; } int getopt_long(void) { return -1; }' 'getopt(optind)'
own limits_and_threads "" 'int getrlimit(void) { return -1; } int setrlimit(void) { return -1; } int pthread_create(void) { return -1; } int pthread_attr_destroy(void) { return 0; } int pthread_attr_setstacksize(void) { return 0; } int execve(void) { return -1; } int process_vm_readv(void) { return -1; }' 'getrlimit()'
own words_of_programs "" 'int index(int a) { return a; } int remove(int a) { return a; } int error(int a) { return a; } int basename(int a) { return a; } int getline(int a) { return a; } int strdup(int a) { return a; } int hash(int a) { return a; } int log(int a) { return a; } int strsep(int a) { return a; } int strtok(int a) { return a; }' 'index(1) + getline(2)'
[ $n_tried -ge 40 ] || { echo "only $n_tried programs" >&2; exit 1; }
