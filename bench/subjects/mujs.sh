# MuJS: a JavaScript interpreter with a hand-written lexer, parser and regular expressions.
#~ PACKAGE: mujs
#~ PROGRAM: build/release/mujs
#~ CASE: inputs/functions.js: @@
#~ CASE: inputs/objects.js: @@
#~ CASE: inputs/arrays.js: @@
#~ CASE: inputs/strings.js: @@
#~ CASE: inputs/regexps.js: @@
#~ CASE: inputs/numbers.js: @@
#~ CASE: inputs/control.js: @@
#~ CASE: inputs/exceptions.js: @@
#~ CASE: inputs/json.js: @@
#~ CASE: inputs/lexer.js: @@

configure() {
    :
}

build() {
    make HAVE_READLINE=no -j2
}

check() {
    for test in "$INPUTS"/*.js; do
        output "$(basename "$test")" build/release/mujs "$test"
        output "$(basename "$test")-pretty" build/release/mujs-pp "$test"
    done
}
