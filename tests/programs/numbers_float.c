// strtod gives no labelled value, which is counted; but where it stopped does
// depend on the input, character by character.
//~ STDIN: "-12.5e3x|0x1.8p2|infinite|.e4|nan(7)"
//~ LOSES: floating-point operation
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char in[41] = {0};
    if (read(0, in, sizeof in - 1) < 0)
        return 1;
    char *at = in;
    for (int i = 0; i < 5; i++) {
        char *end;
        if (i % 2)
            (void)strtof(at, &end);
        else
            (void)strtod(at, &end);
        printf("%d\n", (int)(end - at));
        if (end - at == 7)
            puts("seven characters");
        if (*end == 'x')
            puts("x");
        while (*end && *end != '|')
            end++;
        at = *end ? end + 1 : end;
    }
    return 0;
}
