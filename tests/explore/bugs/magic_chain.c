// Three records, each with a magic of its own; only the third kind is handled wrongly.
//~ STDIN: "AAAABBBBCCCC"
//~ FINDS: abort third
//~ SOLUTION: "HEADBODYTAIL"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t word(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static int third(const char *bytes)
{
    if (word(bytes) == 0x4c494154)
        abort(); //~ HERE
    return 3;
}

static int second(const char *bytes)
{
    return word(bytes) == 0x59444f42 ? third(bytes + 4) : 2;
}

int main(void)
{
    char bytes[12];
    if (fread(bytes, sizeof bytes, 1, stdin) != 1)
        return 1;
    int level = word(bytes) == 0x44414548 ? second(bytes + 4) : 1;
    printf("level %d\n", level);
    return 0;
}
