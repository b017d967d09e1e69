// Hexadecimal digits through a table of 256 entries; the decoded text opens the door.
//~ STDIN: "00112233"
//~ FINDS: abort enter
//~ SOLUTION: "6F70656e"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const signed char digit[256] = {
    ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static void enter(const unsigned char *word)
{
    if (memcmp(word, "open", 4) == 0)
        abort(); //~ HERE
    puts("closed");
}

int main(void)
{
    unsigned char text[8], word[4];
    if (fread(text, 1, sizeof text, stdin) != sizeof text)
        return 1;
    for (int i = 0; i < 4; i++) {
        int high = digit[text[2 * i]], low = digit[text[2 * i + 1]];
        if (high == 0 || low == 0) {
            puts("not hexadecimal");
            return 1;
        }
        word[i] = (unsigned char)((high - 1) << 4 | (low - 1));
    }
    enter(word);
    return 0;
}
