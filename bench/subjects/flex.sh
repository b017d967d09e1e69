# flex: generates scanners; the sources have it scan itself.
#~ PACKAGE: flex
#~ NEEDS: bison flex m4 gettext
#~ PROGRAM: src/flex
#~ CASE: inputs/words.l: -t @@
#~ CASE: tests/ccl.l: -t @@
#~ CASE: tests/quotes.l: -t @@

configure() {
    autoconf_configure --disable-shared --disable-nls --disable-bootstrap
}

build() {
    make -C src -j2 flex
}

check() {
    cd tests
    for test in *.l ../src/scan.l "$INPUTS"/*.l; do
        for options in "" "-Cf" "-CF -8" "-Cem -i" "-b -p -p"; do
            output "$(basename "$test")$(echo "$options" | tr -d ' ')" ../src/flex $options -t "$test"
        done
    done
}
