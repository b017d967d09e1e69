# Lua 5.1, with the test scripts that it ships.
#~ PACKAGE: lua5.1
#~ PROGRAM: src/lua
#~ CASE: test/sort.lua: @@
#~ CASE: test/hello.lua: @@
#~ CASE: test/fib.lua: @@
#~ CASE: test/factorial.lua: @@
#~ CASE: test/bisect.lua: @@

configure() {
    echo '#define DEB_HOST_MULTIARCH ""' >src/lua5.1-deb-multiarch.h
}

build() {
    cd src
    rm -f luac.c
    make -f /dev/null -j2 CFLAGS="-O2 -DLUA_USE_POSIX -DLUA_USE_DLOPEN" $(echo *.c | sed 's/\.c/.o/g')
    $CC -o lua *.o -Wl,-E -lm -ldl
}

check() {
    for test in bisect cf echo env factorial fib fibfor hello printf readonly sieve sort table trace-calls \
        trace-globals xd; do
        # Some print addresses, and some how long they took or what time it is.
        output "$test" sh -c "src/lua test/$test.lua <test/README |
            sed 's/0x[0-9a-f]*/address/g; s/[0-9.e-]*\t\([0-9]*\)$/time\t\1/; s/on [A-Z].*:.*/on a day/'"
    done
}
