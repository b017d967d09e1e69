# Expat: an XML parser with its own tests; its xmlwf is traced.
#~ PACKAGE: expat
#~ NEEDS: autoconf automake libtool
#~ PROGRAM: expat/xmlwf/xmlwf
#~ CASE: inputs/document.xml:
#~ CASE: inputs/entities.xml:
#~ CASE: inputs/namespaces.xml: -n

configure() {
    cd expat
    ./buildconf.sh
    ./configure --disable-shared --without-docbook --without-examples CFLAGS=-O2
}

build() {
    make -C expat -j2
    make -C expat/tests -j2 runtests
}

check() {
    begin runtests
    expat/tests/runtests -v >"$OUT.all" 2>&1 || true
    sed -n 's/^PASS: /ok /p; s/^FAIL: /not ok /p' "$OUT.all"
    for test in "$INPUTS"/*.xml; do
        output "$(basename "$test")" expat/xmlwf/xmlwf -n "$test"
        output "$(basename "$test")-canonical" sh -c "expat/xmlwf/xmlwf -d /tmp '$test' && cat '/tmp/$(basename "$test")'"
        output "$(basename "$test")-meta" sh -c "expat/xmlwf/xmlwf -m -d /tmp '$test' && cat '/tmp/$(basename "$test")'"
    done
}
