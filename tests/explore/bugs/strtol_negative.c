// A level from -128 to 127 by atoi; its absolute value in eight bits is not always positive.
//~ STDIN: "12"
//~ FINDS: assertion set_level
//~ SOLUTION: "-128"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void set_level(int level)
{
    signed char narrow = (signed char)level;
    signed char magnitude = (signed char)(narrow < 0 ? -narrow : narrow);
    assert(magnitude >= 0); //~ HERE
    printf("level %d\n", magnitude);
}

int main(void)
{
    char text[8];
    if (!fgets(text, sizeof text, stdin))
        return 1;
    int level = atoi(text);
    if (level < -128 || level > 127) {
        puts("out of range");
        return 1;
    }
    set_level(level);
    return 0;
}
