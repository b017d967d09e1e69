# QuickJS: a JavaScript engine.
#~ PACKAGE: quickjs
#~ RELEASE: trixie
#~ PROGRAM: qjs
#~ CASE: inputs/functions.js: @@
#~ CASE: inputs/objects.js: @@
#~ CASE: inputs/strings.js: @@

configure() {
    :
}

# Its makefile wants to choose the compiler and optimise at link time. The interactive loop is not needed.
build() {
    echo 'const unsigned int qjsc_repl_size = 0; const unsigned char qjsc_repl[1];' >repl.c
    echo "#define CONFIG_VERSION \"$(cat VERSION)\"" >version.h
    options="-O1 -D_GNU_SOURCE -funsigned-char -w -include version.h -DUSE_WORKER"
    sources="qjs quickjs quickjs-libc cutils libregexp libunicode dtoa repl"
    make -f /dev/null -j2 CFLAGS="$options" $(for source in $sources; do echo "$source.o"; done)
    $CC -o qjs $(for source in $sources; do echo "$source.o"; done) -lm -ldl -lpthread
}

check() {
    for test in closure language loop builtin bigint cyclic_import std worker; do
        verdict "$test" ./qjs "tests/test_$test.js"
    done
    for test in "$INPUTS"/*.js; do
        output "$(basename "$test")" ./qjs "$test"
    done
}
