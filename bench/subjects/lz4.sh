# lz4: its own files there and back at several levels.
#~ PACKAGE: lz4
#~ PROGRAM: programs/lz4
#~ CASE: programs/lz4io.h: -c
#~ CASE: programs/lz4io.h: -9 -c

configure() { :; }

build() {
    make -j2 -C lib liblz4.a CC="$CC" CFLAGS=-O3
    make -j2 -C programs lz4 CC="$CC" CFLAGS=-O3 LDFLAGS=-L../lib
}

check() {
    for file in lib/*.[ch] programs/*.[ch]; do
        for level in 1 3 9 12; do
            verdict "there-and-back-$level-$(basename "$file")" \
                sh -c "programs/lz4 -$level -c < '$file' | programs/lz4 -d -c | cmp - '$file'"
        done
    done
    output list sh -c "programs/lz4 -c < lib/lz4.c > $OUT.lz4 && programs/lz4 --list $OUT.lz4 | tail -n +2 | cut -c 1-20"
}
