# Without a driver, both builds append what is observed to a file.
cat > observing.c <<'EOF'
#include <errno.h>
#include <gimlet.h>
#include <string.h>
int main(void)
{
    unsigned char bytes[600];
    memset(bytes, 0xab, sizeof bytes);
    errno = 5;
    gimlet_observe(NULL, 0, "a place");
    gimlet_observe("4\x12", 2, "x");
    gimlet_observe(bytes, sizeof bytes, "many");
    gimlet_observe(bytes, 1, NULL);
    return errno;
}
EOF
gimlet-cc observing.c -o prog
for build in prog prog.plain; do
    fails 5 ./$build
    GIMLET_OBSERVATIONS=$build.seen fails 5 ./$build
    same "$(sed -n '1p;2p;4p' $build.seen)" "$(printf '0  a place\n2 3412 x\n1 ab unnamed')"
    same "$(sed -n 3p $build.seen)" "600 $(printf 'ab%.0s' $(seq 600)) many"
done
GIMLET_OBSERVATIONS=prog.seen fails 5 ./prog
same "$(wc -l < prog.seen)" 8
for build in prog prog.plain; do
    said=$(GIMLET_OBSERVATIONS=/no/such/file fails 5 ./$build 2>&1)
    same "${said%%:*}" gimlet
done
