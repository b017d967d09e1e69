# A library that was built with gimlet-cc, and a program that loads another build of it: that is said, with what helps.
cat > part.c << 'EOT'
#include <stdio.h>
int part_read(FILE *from)
{
    char word[4] = {0};
    if (fread(word, 1, 3, from) != 3)
        return 0;
    return word[0] == 'k' && word[1] == 'e' && word[2] == 'y';
}
int part_is_key(const char *word) { return word[0] == 'k' && word[1] == 'e'; }
EOT
cat > use.c << 'EOT'
#include <stdio.h>
#include <stdlib.h>
int part_read(FILE *from);
int part_is_key(const char *word);
int main(int argc, char **argv)
{
    char word[8] = {0};
    if (argc > 1)
        return fgets(word, 8, stdin) && part_is_key(word) ? 7 : 1;
    if (part_read(stdin))
        abort();
    return 0;
}
EOT
mkdir system build build/app
clang-19 -shared -fPIC -Wl,-soname,libpart.so.1 part.c -o system/libpart.so.1
gimlet-cc -shared -fPIC -Wl,-soname,libpart.so.1 part.c -o build/libpart.so.1
gimlet-cc use.c build/libpart.so.1 -o build/app/use
printf 'aaaaaa' > seed

# The system's is loaded.
export LD_LIBRARY_PATH=$PWD/system
gimlet run --steps 50 --no-ui -o blind --stdin seed -- build/app/use > blind.txt 2>&1
grep "libpart.so.1 is not instrumented: the program loads $PWD/system/libpart.so.1" blind.txt > told.txt
same "$(grep -o 'LD_LIBRARY_PATH=[^ ]*' blind.txt | head -n 1)" "LD_LIBRARY_PATH=$PWD/build"
grep -E '^libpart.so.1 is not instrumented: [0-9]+ reads were not followed$' blind.txt > told.txt
gimlet trace --stdin seed -- build/app/use > traced.txt 2>&1
grep 'libpart.so.1 is not instrumented: 1 reads were not followed' traced.txt > told.txt
gimlet trace --stdin seed -- build/app/use given > traced.txt 2>&1
grep 'libpart.so.1 is not instrumented: 1 calls with input were not followed' traced.txt > told.txt

# With the line that was said, the search sees through it.
export LD_LIBRARY_PATH=$PWD/build
fails 10 gimlet run --steps 200 --no-ui -o seeing --stdin seed -- build/app/use > seeing.txt 2>&1
lacks 'not instrumented' cat seeing.txt

# Far away there is none to name, and the C library is nobody's concern.
export LD_LIBRARY_PATH=$PWD/system
mkdir -p far/a/b/c/d/e
gimlet-cc use.c system/libpart.so.1 -o far/a/b/c/d/e/use 2> /dev/null
gimlet run --steps 50 --no-ui -o far/out --stdin seed -- far/a/b/c/d/e/use > far.txt 2>&1
lacks 'LD_LIBRARY_PATH\|libc' cat far.txt
grep 'libpart.so.1 is not instrumented: [0-9]* reads were not followed' far.txt > told.txt
