/* Reads a little from the file that its argument names. */
#include <stdio.h>

int main(int argc, char **argv)
{
    char bytes[64];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    size_t n = fread(bytes, 1, sizeof bytes, file);
    if (n > 3 && bytes[0] == 'a' && bytes[1] == 'b')
        puts("ab");
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == 'x')
            puts("x");
    return fclose(file);
}
