# A fuzz target without main; libFuzzer's option is not needed and does no harm.
cat > target.c <<'EOF'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    printf("%zu %c\n", size, size ? data[0] : '-');
    return 0;
}
EOF
printf hello > input
gimlet-cc -fsanitize=fuzzer target.c -o prog
for prog in ./prog ./prog.plain; do
    same "$($prog input)" "5 h"
    same "$($prog < input)" "5 h"
done

# A target with a main of its own keeps it; a program with neither does not link, as with clang.
cat > own.c <<'EOF'
#include <stdio.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size);
int main(void) { return puts("own") < 0; }
EOF
gimlet-cc target.c own.c -o own
same "$(./own)" own
same "$(./own.plain)" own
echo 'int helper(int x) { return x; }' > neither.c
if gimlet-cc neither.c -o neither 2> /dev/null; then
    same "linked without main" "an error"
fi
