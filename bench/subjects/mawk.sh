# mawk: a bison parser, a hand-written scanner, regular expressions compiled to automata.
#~ PACKAGE: mawk
#~ PROGRAM: mawk
#~ CASE: test/reg0.awk: -f @@ test/wc.awk
#~ CASE: test/wc.awk: -f @@ test/reg0.awk
#~ CASE: test/nulls0.awk: -f @@ test/wc.awk

configure() {
    ./configure
}

build() {
    make mawk
}

check() {
    cd test
    output mawktest sh ./mawktest
    output fpe_test sh ./fpe_test
    for test in *.awk; do
        output "$test" ../mawk -f "$test" mawktest.dat
    done
    for test in ../examples/*; do
        output "$(basename "$test")" ../mawk -f "$test" mawktest.dat
        output "$(basename "$test")-dump" sh -c "../mawk -W dump -f $test mawktest.dat | sed 's/0x[0-9a-f]*/address/'"
    done
}
