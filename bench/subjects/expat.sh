# Expat: an XML parser with its own tests; its xmlwf is traced.
#~ PACKAGE: expat
#~ NEEDS: cmake
#~ PROGRAM: build/xmlwf/xmlwf
#~ CASE: inputs/document.xml:
#~ CASE: inputs/entities.xml:
#~ CASE: inputs/namespaces.xml: -n

configure() {
    cmake -S expat -B build -DCMAKE_BUILD_TYPE=Release -DEXPAT_SHARED_LIBS=Off -DEXPAT_BUILD_DOCS=Off \
        -DEXPAT_BUILD_FUZZERS=Off -DEXPAT_BUILD_EXAMPLES=Off
}

build() {
    make -C build -j2
}

check() {
    build/tests/runtests -v >"$OUT.all" 2>&1 || true
    sed -n 's/^PASS: /ok /p; s/^FAIL: /not ok /p' "$OUT.all"
    for test in "$INPUTS"/*.xml; do
        output "$(basename "$test")" build/xmlwf/xmlwf -n "$test"
        output "$(basename "$test")-canonical" sh -c "build/xmlwf/xmlwf -d /tmp '$test' && cat '/tmp/$(basename "$test")'"
        output "$(basename "$test")-meta" sh -c "build/xmlwf/xmlwf -m -d /tmp '$test' && cat '/tmp/$(basename "$test")'"
    done
}
