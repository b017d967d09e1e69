# libyaml: a scanner by hand, a parser that is a machine of states, an emitter; its own programs on its own examples.
#~ PACKAGE: libyaml
#~ NEEDS: autoconf automake libtool
#~ PROGRAM: tests/run-parser
#~ CASE: examples/mapping.yaml: @@
#~ CASE: examples/anchors.yaml: @@
#~ CASE: examples/tags.yaml: @@
#~ CASE: examples/strings.yaml: @@

configure() {
    ./bootstrap
    ./configure --disable-shared --disable-dependency-tracking CFLAGS=-O2
}

build() {
    make -j2
    make -j2 check TESTS=
}

check() {
    verdict test-version tests/test-version
    verdict test-reader tests/test-reader
    for file in examples/*.yaml; do
        for program in run-scanner run-parser run-loader run-emitter run-dumper; do
            output "$program-$(basename "$file")" "tests/$program" "$file"
        done
    done
}
