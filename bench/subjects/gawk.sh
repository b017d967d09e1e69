# gawk: a bison parser, a hand-written scanner, regular expressions in locales, numbers of any kind, and its own tests.
#~ PACKAGE: gawk
#~ PROGRAM: gawk
#~ CASE: test/addcomma.awk: -f @@ test/addcomma.in
#~ CASE: test/parse1.awk: -f @@ test/parse1.in
#~ CASE: test/addcomma.in: -f test/addcomma.awk
#~ CASE: test/splitwht.awk: -f @@

configure() {
    autoconf_configure --disable-nls --disable-extensions --without-mpfr --without-readline CFLAGS=-O2
}

build() {
    make -j2 -C support
    make -j2 gawk
}

check() {
    # Its tests of the language: those of files, signals and the network depend on where they are run.
    printf 'list-tests:\n\t@echo $(BASIC_TESTS)\n' >"$OUT.list"
    for test in $(make -s -C test -f Makefile -f "$OUT.list" list-tests); do
        verdict "$test" make -s -C test "$test"
    done
}
