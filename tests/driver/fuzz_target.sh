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
