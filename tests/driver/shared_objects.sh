# Shared objects leave the runtime undefined, and have twins beside them that the twins of programs use.
gimlet-cc -shared -fPIC -fvisibility=hidden -Dtwice='__attribute__((visibility("default"))) twice' twice.c \
    -o libtwice.so -Wl,-z,defs -Wl,--no-undefined
gimlet-cc main.c -L. -ltwice -Wl,-rpath,. -o linked
gimlet-cc main.c ./libtwice.so -o by_path
for twin in .plain .edges; do
    same "$(fails 3 ./linked$twin)" 2
    same "$(fails 3 ./by_path$twin)" 2
    readelf -d linked$twin | grep -q "NEEDED.*libtwice.so$twin"
    # from anywhere
    same "$(cd / && fails 3 "$OLDPWD/by_path$twin")" 2
done
same "$(fails 3 ./linked)" 2
# What resolves a function at its first call keeps fewer registers than the runtime's entry points do.
lacks 'JUMP_SLO.*gimlet_rt_' readelf -rW libtwice.so
same "$(fails 3 ./by_path)" 2
lacks gimlet nm -D libtwice.so.plain

# a soname, links, and a library that needs another one
mkdir lib
echo 'int twice(int x); int four_times(int x) { return twice(twice(x)); }' > four.c
gimlet-cc --with=asan -shared -fPIC twice.c -Wl,-soname -Wl,libtwo.so.1 -o lib/libtwo.so.1.2
ln -s libtwo.so.1.2 lib/libtwo.so.1
ln -s libtwo.so.1 lib/libtwo.so
gimlet-cc --with=asan -shared -fPIC four.c -Llib -ltwo -Wl,-soname=libfour.so.1,-z,defs -o lib/libfour.so.1
ln -s libfour.so.1 lib/libfour.so
sed 's/twice/four_times/g' main.c > four_main.c
gimlet-cc --with=asan four_main.c -Llib -lfour -Wl,-rpath-link,lib -o four
for twin in '' .plain .edges .asan; do
    same "$(LD_LIBRARY_PATH=lib fails 3 ./four$twin)" 4
done
same "$(fails 3 ./four.plain)" 4
readelf -d four.plain | grep -q 'NEEDED.*libfour.so.1.plain'

# without its twin there is a warning that names it
rm libtwice.so.plain
gimlet-cc main.c -L. -ltwice -Wl,-rpath,. -o linked 2> said
grep -q 'no plain build of linked: ./libtwice.so is instrumented and has no plain twin' said
lacks edges cat said
test ! -e linked.plain

# entry points of the runtime keep registers that lazy binding would not
gimlet-cc -O2 -shared -fPIC -Wl,-z,lazy twice.c -o liblazy.so
readelf -rW liblazy.so > relocations
grep -q 'GLOB_DAT.*gimlet_rt_' relocations
lacks 'JUMP_SLOT.*gimlet_rt_' cat relocations
