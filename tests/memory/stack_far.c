// One row of a screen is drawn in a buffer of its own; its column is compared with the size of the whole screen.
// AddressSanitizer does not see it: the store goes over the red zones into the screen in the frame of the caller.
//~ STDIN: "P\x03\x00\x05*"
//~ FINDS: stack-out-of-bounds plot
//~ SOLUTION: "P\x03\x08\x05*"
//~ QUICK
#include <stdio.h>
#include <string.h>

enum { WIDTH = 32, SCREEN = 4096 };

__attribute__((noinline)) static void plot(char *cells, unsigned column, char c)
{
    cells[column] = c; //~ HERE
}

__attribute__((noinline)) static int draw(char *screen, const unsigned char *request)
{
    char row[WIDTH];
    unsigned line = request[1];
    unsigned column = (unsigned)request[2] << 8 | request[3];
    if (line >= SCREEN / WIDTH)
        return -1;
#ifdef FIXED
    if (column >= WIDTH)
        return -1;
#else
    if (column >= SCREEN)
        return -1;
#endif
    memset(row, ' ', sizeof row);
    plot(row, column, (char)request[4]);
    memcpy(screen + line * WIDTH, row, sizeof row);
    return 0;
}

int main(void)
{
    char screen[SCREEN];
    unsigned char request[5];
    memset(screen, ' ', sizeof screen);
    while (fread(request, 1, sizeof request, stdin) == sizeof request)
        if (request[0] == 'P' && draw(screen, request) != 0)
            puts("off the screen");
    fwrite(screen, 1, 8 * WIDTH, stdout);
    return 0;
}
