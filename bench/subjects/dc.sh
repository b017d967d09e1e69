# GNU dc, from the sources of bc: a stack machine with a hand-written evaluator.
#~ PACKAGE: bc
#~ PROGRAM: dc/dc
#~ CASE: inputs/arithmetic.dc: @@
#~ CASE: inputs/macros.dc: @@
#~ CASE: inputs/registers.dc: @@

configure() {
    autoconf_configure CFLAGS="-O2 -std=gnu89"
}

build() {
    make -C lib && make -C dc
}

check() {
    for test in "$INPUTS"/*.dc; do
        output "$(basename "$test")" dc/dc "$test"
        output "$(basename "$test")-stdin" dc/dc <"$test"
    done
    for test in Examples/*.b; do
        output "$(basename "$test")" dc/dc "$test" </dev/null
    done
}
