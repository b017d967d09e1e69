# cuetools: bison parsers and flex scanners for cue sheets and TOC files.
#~ PACKAGE: cuetools
#~ NEEDS: autoconf automake libtool bison flex
#~ PROGRAM: src/tools/cueconvert
#~ CASE: inputs/album.cue: -i cue -o toc
#~ CASE: inputs/rem.cue: -i cue -o cue
#~ CASE: inputs/disc.toc: -i toc -o cue

configure() {
    sed -i 's/-Wall -Werror//' configure.ac
    autoreconf -fi
    ./configure CFLAGS="-O2 -fcommon"
}

build() {
    make
}

check() {
    for test in "$INPUTS"/*.cue; do
        output "$(basename "$test")-toc" src/tools/cueconvert -i cue -o toc <"$test"
        output "$(basename "$test")-cue" src/tools/cueconvert -i cue -o cue <"$test"
        output "$(basename "$test")-breakpoints" src/tools/cuebreakpoints "$test"
        output "$(basename "$test")-print" src/tools/cueprint "$test"
    done
    for test in "$INPUTS"/*.toc; do
        output "$(basename "$test")-cue" src/tools/cueconvert -i toc -o cue <"$test"
        output "$(basename "$test")-print" src/tools/cueprint -i toc "$test"
    done
}
