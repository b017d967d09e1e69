# For every recipe: the two kinds of tests. See README.md.

# begin NAME: what the memory checks say from here on, they say of this test.
begin() {
    echo "test: $1" >>"$GIMLET_MEMORY_LOG"
}

# output NAME COMMAND..: what the command prints, and how it ends, is compared with clang's build.
output() {
    output_name=$1
    shift
    begin "$output_name"
    output_status=0
    timeout 600 "$@" >"$OUT/$output_name" 2>"$OUT.stderr" || output_status=$?
    # Apart, because a program's own children may write, too, and nobody knows who comes first.
    cat "$OUT.stderr" >>"$OUT/$output_name"
    echo "status $output_status" >>"$OUT/$output_name"
}

# verdict NAME COMMAND..: the command itself says whether the test passed.
verdict() {
    verdict_name=$1
    shift
    begin "$verdict_name"
    if timeout 600 "$@" >"$OUT.verdict" 2>&1; then
        echo "ok $verdict_name"
    else
        echo "not ok $verdict_name"
        sed 's/^/    /' "$OUT.verdict" | tail -n 20
    fi
}

# autoconf_configure OPTION..: the configure script that the sources ship, without tools that would make it anew.
autoconf_configure() {
    ./configure --disable-dependency-tracking ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: MAKEINFO=: "$@"
}
