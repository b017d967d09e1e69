# Compile only, several at once, then link only; names as clang gives them.
mkdir dir
mv twice.c dir
gimlet-cc -c -O1 main.c dir/twice.c
ls main.o twice.o
gimlet-cc main.o twice.o -o prog
same "$(fails 3 ./prog)" 2
same "$(fails 3 ./prog.plain)" 2
# an object of another compiler
clang-19 -c dir/twice.c -o foreign.o
gimlet-cc main.o foreign.o -o mixed
same "$(fails 3 ./mixed.plain)" 2
# the twin has no calls of the runtime
lacks 'gimlet_\(rt\|fn\|lib\)' nm prog.plain
