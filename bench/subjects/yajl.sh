# YAJL: an event-driven JSON parser; its reformatter is traced.
#~ PACKAGE: yajl
#~ NEEDS: cmake
#~ PROGRAM: build/yajl-2.1.0/bin/json_reformat
#~ CASE: test/parsing/cases/codepoints_from_unicode_org.json:
#~ CASE: test/parsing/cases/simple.json:
#~ CASE: test/parsing/cases/difficult_json_c_test_case.json:

configure() {
    cmake -B build -DCMAKE_BUILD_TYPE=Release
}

build() {
    make -C build -j2
}

check() {
    cd test/parsing
    begin run_tests
    sh ./run_tests.sh ../../build/test/parsing/yajl_test >"$OUT.all" 2>&1 || true
    sed -n 's/^ test (\(.*\)): SUCCESS/ok \1/p; s/^ test (\(.*\)):.*/not ok \1/p' "$OUT.all"
    for test in cases/*.json; do
        output "$(basename "$test")" ../../build/yajl-2.1.0/bin/json_reformat <"$test"
        output "$(basename "$test")-verify" ../../build/yajl-2.1.0/bin/json_verify -u <"$test"
    done
}
