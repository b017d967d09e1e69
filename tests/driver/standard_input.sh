# A source from standard input reaches both builds.
gimlet-cc -x c - -x none twice.c -o prog < main.c
same "$(fails 3 ./prog)" 2
same "$(fails 3 ./prog.plain)" 2
