// Two-level tables as flex makes them: characters are mapped to classes, then
// state and class index a base and a check table. Splits words and numbers.
//~ STDIN: "if x1 42 + iffy 7"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { OTHER, BLANK, LETTER_I, LETTER_F, LETTER, DIGIT };
enum { START, IN_BLANK, IN_I, IN_IF, IN_WORD, IN_NUMBER, IN_OTHER, STATES };

// Class of every 7-bit character, sixteen to a row; rows shared.
static const uint8_t row_of[8] = {0, 0, 1, 2, 3, 4, 5, 4};
static const uint8_t class_of[6][16] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0},
    {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0},
    {0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0},
    {0, 4, 4, 4, 4, 4, 3, 4, 4, 2, 4, 4, 4, 4, 4, 4},
};

// next[base[state] + class] if check agrees, else the token has ended.
static const uint8_t base[STATES] = {0, 6, 8, 14, 20, 26, 32};
static const uint8_t check[40] = {
    START, START, START, START, START, START,  // 0..5
    99, IN_BLANK,                              // 6..7
    99, 99, IN_I, IN_I, IN_I, IN_I,            // 8..13
    99, 99, IN_IF, IN_IF, IN_IF, IN_IF,        // 14..19
    99, 99, IN_WORD, IN_WORD, IN_WORD, IN_WORD,
    99, 99, 99, 99, 99, IN_NUMBER,
    99, 99, 99, 99, 99, 99, 99, 99,
};
static const uint8_t next[40] = {
    IN_OTHER, IN_BLANK, IN_I, IN_WORD, IN_WORD, IN_NUMBER,
    0, IN_BLANK,
    0, 0, IN_WORD, IN_IF, IN_WORD, IN_WORD,
    0, 0, IN_WORD, IN_WORD, IN_WORD, IN_WORD,
    0, 0, IN_WORD, IN_WORD, IN_WORD, IN_WORD,
    0, 0, 0, 0, 0, IN_NUMBER,
    0, 0, 0, 0, 0, 0, 0, 0,
};

static unsigned scan(const unsigned char *p, const unsigned char *end, unsigned *length)
{
    unsigned state = START, n = 0;
    for (; p + n < end; n++) {
        unsigned class = class_of[row_of[p[n] >> 4 & 7]][p[n] & 15];
        unsigned at = base[state] + class;
        if (check[at] != state)
            break;
        state = next[at];
    }
    *length = n;
    return state;
}

int main(void)
{
    static const char kinds[] = "?_wiwn#";
    unsigned char in[32] = {0};
    unsigned length, keywords = 0;
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;
    for (const unsigned char *p = in; p < in + n; p += length) {
        unsigned state = scan(p, in + n, &length);
        if (state != IN_BLANK)
            putchar(kinds[state]);
        if (state == IN_IF)
            keywords++;
        if (state == IN_WORD && length == 4)
            putchar('4');
    }
    printf("\n%u\n", keywords);
    return 0;
}
