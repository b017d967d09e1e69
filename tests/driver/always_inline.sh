# A branch in a function that is always inlined keeps its place and its function, at every level.
cat > inlined.c << 'EOF'
#include <stdio.h>
static inline __attribute__((always_inline)) int is_digit(int c)
{
    if (c == '7')
        return 1;
    return 0;
}
int main(void)
{
    if (is_digit(getchar()))
        puts("seven");
    return 0;
}
EOF
for level in -O0 -O2; do
    gimlet-cc $level -o inlined inlined.c
    echo 7 | gimlet trace -- ./inlined > trace.txt
    grep -q 'inlined.c:4:.*is_digit' trace.txt
done

# Lines are for the site table; who did not ask for debug information gets none.
gimlet-cc -c inlined.c
lacks '\.debug_line' readelf -SW inlined.o
gimlet-cc -g -c inlined.c
readelf -SW inlined.o | grep -q '\.debug_line'
