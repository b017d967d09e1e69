# The tiny C compiler; it compiles its own library on the way, and its tests run what it compiled in its own process.
#~ PACKAGE: tcc
#~ PROGRAM: tcc
#~ CASE: inputs/small.c: -B. -Iinclude -c -o /dev/null @@
#~ CASE: tests/tests2/00_assignment.c: -B. -Iinclude -E @@
#~ CASE: tests/tests2/20_pointer_comparison.c: -B. -Iinclude -E @@

configure() {
    ./configure --cc="$CC" --extra-cflags="-O2 -w"
}

build() {
    make tcc libtcc1.a
}

check() {
    cd tests/tests2
    for source in [0-9]*.c; do
        test=${source%.c}
        if [ -f "$test.expect" ]; then
            options=
            case $test in
            31_*) set -- arg1 arg2 arg3 arg4 arg5 ;;
            46_*) set -- '[^* ]*[:a:d: ]+\:\*-/: $' 46_grep.c ;;
            *) set -- ;;
            esac
            case $test in
            60_* | 96_*) options=-dt ;;
            76_*) options=-fdollars-in-identifiers ;;
            esac
            verdict "$test" sh -c 'test=$1; shift; options=$1; shift
                timeout 30 ../../tcc -B../.. -I../../include -I../.. -I. $options -run "$test.c" "$@" >/tmp/got 2>&1 </dev/null
                diff -b /tmp/got "$test.expect"' sh "$test" "$options" "$@"
        fi
    done
    cd ..
    for source in tests2/[0-9]*.c; do
        output "$(basename "$source")-object" sh -c "../tcc -B.. -I../include -w -c -o /tmp/object.o $source && cksum </tmp/object.o"
    done
    cd pp
    for source in *.c; do
        output "pp-$source" ../../tcc -B../.. -I../../include -E -P "$source"
    done
}
