# Shared objects leave the runtime undefined, linked or loaded at run time.
gimlet-cc -shared -fPIC twice.c -o libtwice.so -Wl,-z,defs -Wl,--no-undefined
gimlet-cc main.c -L. -ltwice -Wl,-rpath,. -o linked 2> warnings
same "$(fails 3 ./linked)" 2
# What resolves a function at its first call keeps fewer registers than the runtime's entry points do.
lacks 'JUMP_SLO.*gimlet_rt_' readelf -rW libtwice.so
cat > load.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *object = dlopen("./libtwice.so", RTLD_NOW);
    if (!object)
        return puts(dlerror());
    int (*twice)(int) = (int (*)(int))dlsym(object, "twice");
    printf("%d\n", twice(21));
    return 0;
}
EOF
gimlet-cc load.c -o load
same "$(./load)" 42
