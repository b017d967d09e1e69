# Clang's diagnostics, once, and its status.
check() {
    local ours=0 theirs=0
    gimlet-cc "$@" 2> ours || ours=$?
    clang-19 "$@" 2> theirs || theirs=$?
    same "$ours" "$theirs"
    same "$(cat ours)" "$(cat theirs)"
}
echo 'int main(void) { int unused; return 0; }' > warning.c
echo 'int main(void) { return missing; }' > error.c
check -Wall -c warning.c
check -Wall warning.c
check -Wall -Werror -c warning.c
check -c error.c
check error.c -o error
check -c nothere.c
check -c main.c twice.c -o both.o
check -Wall -Wextra -Weverything -Werror -Wno-missing-prototypes -O2 twice.c main.c -lm -I. -o prog
# options that a step of our own making has no use for are no mistakes
gimlet-cc -c main.c twice.c
check -Werror -Wall -Wextra -Wunused-command-line-argument -O2 -g -fPIE -pie -I. -lm -Wl,-O1 -pthread main.c twice.c
gimlet-cc -Werror -Wall -Weverything main.o twice.o -lm -o prog 2> ours
same "$(cat ours)" ""
for option in -save-temps -save-temps=obj; do
    check $option -c main.c
    check $option -g -c main.c
done
ls main.i main.s
echo 'int missing(void); int main(void) { return missing(); }' > link.c
fails 1 gimlet-cc link.c 2> said
grep -q 'undefined reference to .missing' said
same "$(grep -c 'linker command failed' said)" 1
