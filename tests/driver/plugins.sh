# Plugins that are loaded at run time: by each build its own, and traced.
cat > load.c <<'EOF2'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "./plugin.so";
    void *object = dlopen(path, RTLD_NOW);
    if (!object)
        return puts(dlerror()) < 0;
    int (*answer)(int) = (int (*)(int))dlsym(object, "answer");
    printf("%s %d\n", dlerror() ? "error" : "fine", answer(getchar()));
    return 0;
}
EOF2
cat > plugin.c <<'EOF2'
int answer(int byte)
{
    if (byte == 'x')
        return 42;
    return 7;
}
EOF2
gimlet-cc -O1 -shared -fPIC plugin.c -o plugin.so
gimlet-cc -O1 load.c -o load
for twin in '' .plain .edges; do
    same "$(echo x | ./load$twin)" "fine 42"
    same "$(echo y | LD_LIBRARY_PATH=. ./load$twin plugin.so)" "fine 7"
    ./load$twin ./nothere.so | grep -q 'nothere.so: cannot open'
done
# the twins load twins
for twin in plain edges; do
    echo x | LD_DEBUG=files ./load.$twin 2> files > /dev/null
    grep -q "plugin.so.$twin" files
    lacks 'plugin\.so ' cat files
done
# one of another compiler is loaded as it is
clang-19 -shared -fPIC plugin.c -o foreign.so
same "$(echo x | ./load.plain ./foreign.so)" "fine 42"
echo y > input
gimlet trace --quiet-target --stdin input -- ./load > traced
grep -q 'plugin.c:3' traced
