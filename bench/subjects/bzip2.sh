# bzip2: its own test, and files of all kinds there and back.
#~ PACKAGE: bzip2
#~ PROGRAM: bzip2
#~ CASE: sample1.ref: -c

configure() { :; }

build() {
    objects="blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c"
    "$CC" -O2 -w -D_FILE_OFFSET_BITS=64 bzip2.c $objects -o bzip2
    "$CC" -O2 -w -D_FILE_OFFSET_BITS=64 bzip2recover.c -o bzip2recover
}

check() {
    for n in 1 2 3; do
        verdict "compress-$n" sh -c "./bzip2 -$n < sample$n.ref | cmp - sample$n.bz2"
        verdict "expand-$n" sh -c "./bzip2 -d $([ $n = 3 ] && echo -ds) < sample$n.bz2 | cmp - sample$n.ref"
        verdict "test-$n" ./bzip2 -t "sample$n.bz2"
    done
    for file in *.c README CHANGES; do
        verdict "there-and-back-$file" sh -c "./bzip2 -9 < '$file' | ./bzip2 -dc | cmp - '$file'"
    done
}
