# Static and position-dependent programs.
for kind in -static -static-pie -no-pie -pie; do
    gimlet-cc $kind main.c twice.c -o prog
    same "$(fails 3 ./prog)" 2
    same "$(fails 3 ./prog.plain)" 2
done
