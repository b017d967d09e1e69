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
same "$(gimlet-cc -MM main.c)" "$(clang-19 -MM main.c)"
