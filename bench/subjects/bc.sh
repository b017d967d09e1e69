# GNU bc: a bison parser and a flex scanner over an arbitrary-precision library.
#~ PACKAGE: bc
#~ NEEDS: bison flex ed
#~ PROGRAM: bc/bc
#~ CASE: Test/array.b: -q
#~ CASE: Test/arrayp.b: -q
#~ CASE: Test/aryprm.b: -q
#~ CASE: inputs/power.b: -q
#~ CASE: inputs/precedence.b: -q
#~ CASE: inputs/control.b: -q
#~ CASE: inputs/bases.b: -q
#~ CASE: inputs/functions.b: -q
#~ CASE: inputs/scale.b: -q
#~ CASE: inputs/errors.b: -q

configure() {
    autoconf_configure
}

build() {
    make -C lib && make -C bc
}

check() {
    for test in Test/*.b; do
        output "$(basename "$test")" bc/bc -l -q "$test" </dev/null
    done
    for test in "$INPUTS"/*.b; do
        output "$(basename "$test")" bc/bc -q "$test" </dev/null
    done
}
