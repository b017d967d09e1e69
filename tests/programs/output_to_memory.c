//~ STDIN: "abc"
//~ LOSES: library function that did something else than its model
// A stream that writes to memory: what comes back has no labels, and each way in is counted.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char in[4] = {0}, *text = NULL;
    size_t length = 0;
    if (read(0, in, 3) != 3)
        return 2;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return 3;
    fputc(in[0], stream);
    fwrite(in + 1, 1, 1, stream);
    fclose(stream);
    printf("%zu %d\n", length, text[1] == 'b');
    free(text);
    return 0;
}
