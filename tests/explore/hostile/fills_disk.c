// It writes as much as it can into its working directory, which is taken away after it.
//~ STDIN: "ab"
//~ OPTIONS: --timeout 1s
//~ BUDGET: 15s
//~ EXIT: any
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char block[1 << 16];
    char name[32];
    memset(block, 'x', sizeof block);
    int c = getchar();
    for (int i = 0; i < 1 << 16; i++) {
        snprintf(name, sizeof name, "%c%d", c == 'a' ? 'a' : 'b', i % 4);
        FILE *file = fopen(name, "ab");
        if (!file)
            return 1;
        size_t n_blocks = fwrite(block, sizeof block, 1, file);
        if (fclose(file) != 0 || n_blocks != 1)
            return 1;
    }
    return 0;
}
