# Static and position-dependent programs.
for kind in -static -static-pie -no-pie -pie; do
    gimlet-cc $kind main.c twice.c -o prog
    same "$(fails 3 ./prog)" 2
    same "$(fails 3 ./prog.plain)" 2
done

# A program's own function takes the place of the library's and of its model, and the library's is not linked as well.
cat > own.c << 'EOT'
int optind = 1;
int getopt(int argc, char *const argv[], const char *letters) { return argc + (letters[0] == 'a' ? 40 : 0); }
EOT
cat > calls.c << 'EOT'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) { return printf("%d\n", getopt(argc, argv, "ab")) != 3; }
EOT
for link in '' -static; do
    gimlet-cc $link calls.c own.c -o own
    same "$(./own)" 41
    same "$(./own.plain)" 41
done
