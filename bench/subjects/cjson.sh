# cJSON: a library; its tests are programs of their own, and what is traced is its fuzzing harness.
#~ PACKAGE: cjson
#~ NEEDS: cmake
#~ PROGRAM: build/reader
#~ CASE: fuzzing/inputs/test1: @@
#~ CASE: fuzzing/inputs/test10: @@
#~ CASE: fuzzing/inputs/test11: @@
#~ CASE: fuzzing/inputs/test2: @@
#~ CASE: fuzzing/inputs/test3: @@

configure() {
    cmake -B build -DCMAKE_BUILD_TYPE=Release -DENABLE_CUSTOM_COMPILER_FLAGS=Off -DBUILD_SHARED_LIBS=Off
}

build() {
    make -C build -j2
    $CC -O2 -I. fuzzing/afl.c cJSON.c -o build/reader -lm
}

check() {
    cd build/tests
    for test in *; do
        if [ -f "$test" ] && [ -x "$test" ] && [ -f "../../tests/$test.c" ]; then
            verdict "$test" "./$test"
        fi
    done
    for test in ../../fuzzing/inputs/*; do
        output "$(basename "$test")" ../reader "$test" yes
    done
}
