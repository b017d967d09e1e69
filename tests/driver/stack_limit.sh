# With an unlimited stack the kernel lays out memory in another way; the program must not notice.
gimlet-cc -O1 main.c twice.c -o program
if [ "$(ulimit -H -s)" = unlimited ]; then
    same "$(ulimit -s unlimited; ./program)" "$(./program.plain)"
fi
