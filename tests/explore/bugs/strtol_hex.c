// Two hexadecimal numbers around a dash; their distance must not be a page.
//~ STDIN: "1000-1010"
//~ FINDS: assertion map
//~ SOLUTION: "7f00-8f00"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void map(unsigned long start, unsigned long end)
{
    assert(end - start != 4096); //~ HERE
    printf("%lx bytes\n", end - start);
}

int main(void)
{
    char text[24];
    char *rest;
    size_t len = fread(text, 1, sizeof text - 1, stdin);
    text[len] = '\0';
    unsigned long start = strtoul(text, &rest, 16);
    if (rest == text || *rest != '-')
        return 1;
    char *second = rest + 1;
    unsigned long end = strtoul(second, &rest, 16);
    if (rest == second || end <= start || start < 0x1000)
        return 1;
    map(start, end);
    return 0;
}
