# A source from standard input reaches both builds.
gimlet-cc -x c - -x none twice.c -o prog < main.c
same "$(fails 3 ./prog)" 2
same "$(fails 3 ./prog.plain)" 2
gimlet-cc -x c /dev/stdin -x none twice.c -o prog < main.c
same "$(fails 3 ./prog)" "$(fails 3 ./prog.plain)"
gimlet-cc -c -x c - -o main.o < main.c
gimlet-cc -S twice.c -o - | gimlet-cc -c -x assembler - -o twice.o
gimlet-cc main.o twice.o -o prog
same "$(fails 3 ./prog)" 2
