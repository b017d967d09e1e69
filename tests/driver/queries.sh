# What build systems ask a compiler.
for question in --version -dumpmachine -dumpversion -print-prog-name=ld -print-search-dirs --print-resource-dir; do
    same "$(gimlet-cc $question)" "$(clang-19 $question)"
done
same "$(gimlet-cc -v 2>&1)" "$(clang-19 -v 2>&1)"
gimlet-cc --gimlet-version | grep -q '^gimlet-cc '
gimlet-cc --help | grep -q -e '-fgimlet='
fails 1 gimlet-cc 2> /dev/null
