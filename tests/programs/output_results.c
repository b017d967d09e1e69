//~ STDIN: "\xe9\x03xyz"
// What output functions return: programs compare it with what they asked for.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    unsigned char in[5];
    if (read(0, in, sizeof in) != sizeof in)
        return 2;
    if (fputc((signed char)in[0], stdout) != in[0])
        puts("no byte");
    if (putchar(in[2]) == 'y')
        puts("a y");
    size_t count = in[1] % 4;
    if (fwrite(in + 2, 1, count, stdout) < 3)
        puts(" few");
    if (fwrite(in, in[1] % 3, 2, stdout) == 0)
        puts("nothing");
    if (fputs(in[3] > 'a' ? "large" : "small", stdout) == EOF)
        puts("no text");
    putchar('\n');
    return 0;
}
