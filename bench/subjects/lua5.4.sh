# Lua 5.4: a hand-written lexer and parser, a register machine, coroutines by longjmp.
#~ PACKAGE: lua5.4
#~ PROGRAM: src/lua
#~ CASE: inputs/tables.lua: @@
#~ CASE: inputs/fibonacci.lua: @@
#~ CASE: inputs/strings.lua: @@
#~ CASE: inputs/closures.lua: @@
#~ CASE: inputs/metatables.lua: @@
#~ CASE: inputs/coroutines.lua: @@
#~ CASE: inputs/errors.lua: @@
#~ CASE: inputs/numbers.lua: @@
#~ CASE: inputs/control.lua: @@
#~ CASE: inputs/lexer.lua: @@

configure() {
    echo '#define DEB_HOST_MULTIARCH ""' >src/lua5.4-deb-multiarch.h
    # The seed of hashes is the time: two runs would not do the same.
    echo '#define luai_makeseed(L) 0' >src/seed.h
}

# Debian's makefile builds shared objects, C++ twins and more.
build() {
    cd src
    rm -f luac.c ltests.c
    make -f /dev/null -j2 CFLAGS="-O2 -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -include seed.h" $(echo *.c | sed 's/\.c/.o/g')
    $CC -o lua *.o -Wl,-E -lm -ldl
}

check() {
    for test in "$INPUTS"/*.lua; do
        output "$(basename "$test")" src/lua "$test" </dev/null
        output "$(basename "$test")-stdin" src/lua - <"$test"
    done
}
