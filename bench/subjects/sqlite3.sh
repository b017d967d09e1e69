# SQLite's shell: a parser made by lemon, a hand-written tokenizer, a query planner and a virtual machine.
#~ PACKAGE: sqlite3
#~ NEEDS: tcl
#~ PROGRAM: sqlite3
#~ CASE: inputs/select.sql: -safe
#~ CASE: inputs/schema.sql: -safe
#~ CASE: inputs/expressions.sql: -safe

# The sources one by one: a single file of 240,000 lines takes any compiler its time.
configure() {
    ./configure --disable-amalgamation --disable-tcl --disable-shared --disable-readline --disable-load-extension \
        --disable-threadsafe CFLAGS="-O1" BUILD_CC=cc
}

build() {
    make -j2 sqlite3
}

check() {
    for test in "$INPUTS"/*.sql; do
        output "$(basename "$test")" ./sqlite3 -safe <"$test"
        output "$(basename "$test")-batch" ./sqlite3 -header -csv :memory: <"$test"
    done
}
