# What build systems ask a compiler.
for question in --version -dumpmachine -dumpversion -print-prog-name=ld -print-search-dirs --print-resource-dir \
    -print-file-name=libc.so.6 -print-libgcc-file-name --print-target-triple; do
    same "$(gimlet-cc $question)" "$(clang-19 $question)"
done
same "$(gimlet-cc -v 2>&1)" "$(clang-19 -v 2>&1)"
gimlet-cc '-###' -c main.c 2>&1 | grep -q -e -cc1
test ! -e main.o
gimlet-cc -v -c main.c 2> said
same "$(grep -c -e '-cc1' said)" "$(clang-19 -v -c main.c 2>&1 | grep -c -e '-cc1')"
gimlet-cc --gimlet-version | grep -q '^gimlet-cc '
gimlet-cc --help > help
for option in -fgimlet= --with= --without= GIMLET_WITH; do
    grep -q -e $option help
done
fails 1 gimlet-cc 2> /dev/null
