// Two coordinates woven into one number: a tile at a certain place is missing.
//~ STDIN: "\x01\x00\x02\x00"
//~ FINDS: assertion tile
//~ SOLUTION: "\x9a\x7fAO"
//~ QUICK
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

static void tile(uint32_t x, uint32_t y)
{
    uint32_t index = spread(x) | spread(y) << 1;
    assert((index ^ index >> 1) != 0x2f00d1e5); //~ HERE
    printf("tile %u\n", index);
}

int main(void)
{
    uint16_t place[2];
    if (fread(place, sizeof place, 1, stdin) != 1)
        return 1;
    tile(place[0], place[1]);
    return 0;
}
