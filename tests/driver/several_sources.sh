# Several sources at once, with the default output and with -o.
gimlet-cc main.c twice.c
same "$(fails 3 ./a.out)" 2
same "$(fails 3 ./a.out.plain x)" 4
mkdir dir
gimlet-cc -O2 main.c twice.c -o dir/prog
same "$(fails 3 dir/prog)" "$(fails 3 dir/prog.plain)"
