# libcue: a bison parser and a flex scanner for cue sheets, with a small program around them.
#~ PACKAGE: libcue
#~ NEEDS: cmake bison flex
#~ PROGRAM: build/show
#~ CASE: inputs/album.cue:
#~ CASE: t/issue10.cue:
#~ CASE: inputs/rem.cue:

configure() {
    cmake -B build -DCMAKE_BUILD_TYPE=Release
}

build() {
    make -C build -j2
    $CC -O2 -I. "$INPUTS/show.c" build/libcue.a -o build/show
}

check() {
    cd t
    for test in standard_cue single_file_idx_00 multiple_files noncompliant issue10 99_tracks; do
        verdict "$test" "../build/$test"
    done
    for test in *.cue "$INPUTS"/*.cue; do
        output "$(basename "$test")" ../build/show <"$test"
    done
}
