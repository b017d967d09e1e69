# Link-time optimisation is left out with a warning, whatever flags a distribution sets.
flags='-O2 -flto=auto -ffat-lto-objects -fwhole-program-vtables -fsanitize=cfi-icall -fvisibility=hidden'
gimlet-cc $flags -c main.c twice.c 2> said
same "$(cat said)" ""
gimlet-cc $flags main.o twice.o -o prog 2> said
same "$(cat said | grep -c 'warning: -flto=auto is left out')" 1
same "$(wc -l < said)" 1
for twin in '' .plain .edges; do
    same "$(fails 3 ./prog$twin)" 2
done
gimlet-cc -flto -fno-lto main.o twice.o -o prog 2> said
same "$(cat said)" ""
