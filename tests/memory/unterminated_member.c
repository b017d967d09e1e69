// The names in an archive fill their field to its last byte or end with a zero, and are printed as if they all ended.
//~ ARGS: @@
//~ FILE: "!ar\nread.me\0\0\0\0\0\x03abcmain.c\0\0\0\0\0\0\x02xy"
//~ FINDS: unterminated-string list
//~ SOLUTION: "!ar\nread.me\0\0\0\0\0\x03abcmain.functio\x02xy"
#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 12, MAX_MEMBERS = 4 };

static int list(FILE *file)
{
    char name[MAX_NAME];
    int n_bytes;
    if (fread(name, 1, sizeof name, file) != sizeof name)
        return 0;
    n_bytes = fgetc(file);
    if (n_bytes == EOF)
        return 0;
#ifdef FIXED
    printf("%.*s: %d bytes\n", MAX_NAME, name, n_bytes);
#else
    printf("%s: %d bytes\n", name, n_bytes); //~ HERE
#endif
    for (; n_bytes > 0; n_bytes--)
        if (fgetc(file) == EOF)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    char magic[4];
    int n_members = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    if (fread(magic, 1, 4, file) == 4 && memcmp(magic, "!ar\n", 4) == 0)
        while (n_members < MAX_MEMBERS && list(file))
            n_members++;
    fclose(file);
    printf("%d members\n", n_members);
    return 0;
}
