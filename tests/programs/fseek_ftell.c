// A stream read out of order with fopen, fseek, ftell and rewind, so that the
// same bytes come through the buffer more than once.
//~ FILE: "P5 12 tail=20 abcdefghijklmnopqrstuvwxyz 0123456789 end"
//~ ARGS: @@
#include <stdio.h>
#include <string.h>

static long number(FILE *f)
{
    long v = 0;
    int c;
    while ((c = fgetc(f)) >= '0' && c <= '9')
        v = (v * 10 + (c - '0')) % 1000;
    if (c != EOF)
        ungetc(c, f);
    return v;
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 2;
    char word[8] = {0};

    if (fread(word, 1, 3, f) != 3 || memcmp(word, "P5 ", 3) != 0) {
        fclose(f);
        return 3;
    }
    long size = number(f);
    if (size == 12)
        puts("size");
    if (ftell(f) == 5)
        puts("two digits");

    // Forward over what follows, relative to the position.
    if (fseek(f, 6, SEEK_CUR) == 0) {
        long offset = number(f);
        if (fseek(f, offset, SEEK_SET) == 0 && fgetc(f) == 'g')
            puts("g at the offset");
        if (offset > 50)
            puts("far");
    }

    // From the end, and back to the start.
    if (fseek(f, -3, SEEK_END) == 0 && fread(word, 1, 4, f) == 3) {
        if (feof(f))
            puts("at the end");
        if (memcmp(word, "end", 3) == 0)
            puts("end");
    }
    rewind(f);
    if (!feof(f) && fgetc(f) == 'P' && ftell(f) == 1)
        puts("rewound");

    long sum = 0;
    for (long at = 45; at >= 15 && fseek(f, at, SEEK_SET) == 0; at -= size % 16 + 1) {
        int c = getc(f);
        sum += c == EOF ? 1000 : c;
    }
    if (sum > 300)
        puts("sum");
    printf("%ld %ld\n", size, sum);
    fclose(f);
    return 0;
}
