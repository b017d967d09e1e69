# What every driver test begins with.
set -euo pipefail

same() {
    [ "$1" = "$2" ] || { echo "not the same:"; echo "  $1"; echo "  $2"; return 1; } >&2
}

fails() {
    local expected=$1 status=0
    shift
    "$@" || status=$?
    [ "$status" = "$expected" ] || { echo "status $status, not $expected: $*" >&2; return 1; }
}

lacks() {
    local pattern=$1
    shift
    if "$@" | grep -q -e "$pattern"; then
        echo "has $pattern: $*" >&2
        return 1
    fi
}

# Whether the test is a long one.
is_all() {
    [ "${GIMLET_TESTS:-}" = all ]
}

cat > main.c <<'EOF'
#include <stdio.h>
int twice(int x);
int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", twice(argc));
    return 3;
}
EOF
cat > twice.c <<'EOF'
int twice(int x)
{
    return x * 2;
}
EOF
