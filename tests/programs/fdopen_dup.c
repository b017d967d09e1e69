// The input read through several descriptors and a stream that share one
// position: dup, fdopen, and a second, independent open.
//~ FILE: "0123456789abcdefghijklmnopqrstuvwxyz"
//~ ARGS: @@
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned char a[4] = {0}, b[4] = {0}, c[4] = {0}, d[4] = {0};
    int first = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    int second = first < 0 ? -1 : dup(first);
    int third = first < 0 ? -1 : dup(first);
    int other = first < 0 ? -1 : open(argv[1], O_RDONLY);
    if (second < 0 || third < 0 || other < 0)
        return 2;

    // These four share nothing but the file; the first three also a position.
    if (read(first, a, 4) < 0 || read(second, b, 4) < 0 || read(third, c, 4) < 0 ||
        read(other, d, 4) < 0)
        return 3;
    if (a[0] == '0' && b[0] == '4')
        puts("shared position");
    if (c[3] - b[3] == 'b' - '7')
        puts("third");
    if (d[0] == a[0] && d[3] == '3')
        puts("same bytes through another open");
    if (d[1] == 'X' && a[1] != 'X')
        puts("never");

    // A stream on top of a descriptor starts where the descriptor is.
    close(first);
    FILE *f = fdopen(second, "rb");
    if (!f)
        return 4;
    int c1 = fgetc(f), c2 = fgetc(f);
    if (c1 == 'c')
        puts("stream");
    if (c1 < c2 && c2 != EOF)
        puts("rising");
    if (fseek(f, 2, SEEK_SET) == 0 && fgetc(f) == '7')
        puts("seven at 2");
    fclose(f);

    // Closing the stream closed its descriptor, not the duplicate.
    if (lseek(third, 30, SEEK_SET) == 30 && read(third, a, 2) == 2 && a[1] > a[0])
        puts("still open");
    unsigned sum = 0;
    for (int i = 0; i < 4; i++)
        sum += a[i] * 1u + b[i] * 2u + c[i] * 3u;
    if (sum % 10 == 4)
        puts("sum");
    printf("%u\n", sum);
    close(third);
    close(other);
    return 0;
}
