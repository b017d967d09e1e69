# Twins travel through ar: whole and thin archives, -l, and words for the linker.
gimlet-cc -c main.c twice.c
mkdir lib
ar rcs lib/libtwice.a twice.o
ar rcsT thin.a twice.o
gimlet-cc main.o lib/libtwice.a -o by_path
gimlet-cc main.o -Llib -ltwice -o by_name
gimlet-cc main.o -L lib -Wl,-Bstatic -ltwice -Wl,-Bdynamic -o by_static_name
gimlet-cc main.o thin.a -o by_thin
gimlet-cc main.o -Wl,--start-group,lib/libtwice.a,--end-group -o by_group
gimlet-cc main.o -Xlinker --whole-archive lib/libtwice.a -Xlinker --no-whole-archive -o whole
for prog in by_path by_name by_static_name by_thin by_group whole; do
    same "$(fails 3 ./$prog)" 2
    same "$(fails 3 ./$prog.plain)" 2
    lacks 'gimlet_\(rt\|fn\|lib\)' nm $prog.plain
done
