# What may be wrong with the inputs of a link is said.
said_once() {
    same "$(grep -c -e "$1" said)" 1 || { cat said >&2; return 1; }
}
gimlet-cc -c main.c twice.c

# objects and libraries of other compilers: one line, which names them
clang-19 -c twice.c -o foreign.o
clang-19 -c -Dtwice=unused twice.c -o unused.o
mkdir lib
ar rcs lib/libunused.a unused.o
gimlet-cc main.o foreign.o -Llib -lunused -lm -o mixed 2> said
said_once '2 of 3 inputs of mixed are not instrumented.*: foreign.o, lib/libunused.a$'
same "$(wc -l < said)" 1
same "$(fails 3 ./mixed)" 2
same "$(fails 3 ./mixed.plain)" 2
gimlet-cc -w main.o foreign.o -o mixed 2> said
same "$(cat said)" ""
gimlet-cc main.o twice.o -lm -L/usr/lib -lpthread -o all_ours 2> said
same "$(cat said)" ""
for n in 1 2 3 4 5 6; do clang-19 -c -Dtwice=unused$n twice.c -o foreign$n.o; done
gimlet-cc main.o foreign.o foreign?.o -o many 2> said
said_once '7 of 8 inputs.*foreign4.o and 2 more'
gimlet-cc -v main.o foreign.o foreign?.o -o many 2> said
said_once '7 of 8 inputs.*foreign6.o$'
cat > twice_asm.s <<'EOF'
    .globl twice
twice:
    lea (%rdi,%rdi), %eax
    ret
    .section .note.GNU-stack,"",@progbits
EOF
gimlet-cc main.c twice_asm.s -o by_asm 2> said
said_once '1 of 2 inputs of by_asm is not instrumented.*: twice_asm.s$'

# objects of another version, also without twins and in libraries
cp twice.o other.o
objcopy -O binary --only-section=gimlet_sites other.o section
printf '\x7f' | dd of=section bs=1 seek=4 conv=notrunc status=none
objcopy --update-section gimlet_sites=section other.o
ar rcs libother.a unused.o other.o
fails 2 gimlet-cc main.o other.o -o prog 2> said
said_once 'error: other.o: compiled by another version of gimlet-cc (format 127, this is [0-9]*)'
fails 2 gimlet-cc main.o libother.a -o prog 2> said
said_once 'libother.a: member other.o: compiled by another version'
fails 2 gimlet-cc -shared other.o -o libother.so 2> said
said_once 'other.o: compiled by another version'
test ! -e prog
test ! -e libother.so

# no twin
objcopy --remove-section .gimlet.plain twice.o without.o
gimlet-cc main.o without.o -o lacking 2> said
said_once 'no plain build of lacking: without.o is instrumented and has no plain twin'
same "$(fails 3 ./lacking.edges)" 2
test ! -e lacking.plain
ar rcs libwithout.a without.o
gimlet-cc main.o libwithout.a -o lacking 2> said
said_once 'libwithout.a is instrumented and has no plain twin'

# a second runtime
runtime=$(dirname "$(command -v gimlet-cc)")/libgimlet_runtime.a
ld -r -u gimlet_rt_register twice.o "$runtime" -o twice_and_runtime.o
fails 2 gimlet-cc main.o twice_and_runtime.o -o prog 2> said
said_once "twice_and_runtime.o: has a copy of Gimlet's runtime"

# another version in a plugin is said when it is loaded under a driver
cat > load.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *object = dlopen("./plugin.so", RTLD_NOW);
    return object ? 0 : puts(dlerror());
}
EOF
gimlet-cc load.c -o load
gimlet-cc -fPIC -c twice.c -o plugin.o
gimlet-cc -shared plugin.o -o plugin.so
gimlet trace -- ./load > /dev/null
# the version is the first word of the descriptor
offset=$((16#$(nm plugin.so | awk '$3 == "gimlet.module" { print $1 }')))
read -r address start < <(readelf -SW plugin.so | sed 's/\[ */[/' | awk '$2 == ".data" { print $4, $5 }')
printf '\x7f' | dd of=plugin.so bs=1 seek=$((offset - 16#$address + 16#$start)) conv=notrunc status=none
./load
gimlet trace -- ./load > said 2>&1 || true
said_once 'plugin.so was compiled by another version of gimlet-cc'
