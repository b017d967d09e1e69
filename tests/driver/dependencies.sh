# Dependency files have the names and the targets that clang gives them.
echo '#include "header.h"' >> main.c
echo 'int unused;' > header.h
check() {
    mkdir ours theirs
    (cd ours && cp ../*.c ../*.h . && gimlet-cc "$@")
    (cd theirs && cp ../*.c ../*.h . && clang-19 "$@")
    same "$(cd ours && tail -n +1 *.d)" "$(cd theirs && tail -n +1 *.d)"
    rm -r ours theirs
}
check -c -MMD main.c
check -c -MMD main.c twice.c
check -c -MMD -MP -MF other.d -MT target main.c -o main.o
check -MMD main.c twice.c -o prog
check -MMD main.c twice.c
check -c -MD -MT one -MQ 'two$' -MP main.c
check -MD -MF all.d main.c twice.c -o prog
for option in -M -MM '-MM -MG' '-MM -MT target' '-MM -MP'; do
    same "$(gimlet-cc $option main.c | grep -v gimlet)" "$(clang-19 $option main.c)"
done
gimlet-cc -MM -MF by_option.d main.c
clang-19 -MM -MF theirs.d main.c
same "$(cat by_option.d)" "$(cat theirs.d)"
# the twins have no dependency files of their own
gimlet-cc -c -MD main.c
same "$(echo main*.d)" main.d
