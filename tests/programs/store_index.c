// Stores at input-dependent indices: a counting histogram, a permutation and
// its inverse, a used-set, a struct field, and a little move-to-front list.
//~ STDIN: "banana!\x03\x01\x04\x00\x02\x05"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static unsigned short histogram[256];

static int move_to_front(unsigned char *list, unsigned n, unsigned char c)
{
    unsigned at = 0;
    while (at < n - 1 && list[at] != c)
        at++;
    int found = list[at] == c;
    for (unsigned i = at; i > 0; i--)
        list[i] = list[i - 1];
    list[0] = c;
    return found ? (int)at : -1;
}

int main(void)
{
    unsigned char in[13] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    // Read back at known places.
    for (int i = 0; i < 7; i++)
        histogram[in[i]]++;
    if (histogram['a'] == 3)
        puts("three a");
    if (histogram['z'] > 0)
        puts("some z");
    unsigned most = 0;
    for (unsigned c = 'a'; c < 'a' + 16; c++)
        if (histogram[c] > histogram['a' + most])
            most = c - 'a';
    printf("%c\n", 'a' + most);

    // Is it a permutation of 0..5? Then invert it.
    unsigned char used[6] = {0}, inverse[6] = {0};
    int permutation = 1;
    for (unsigned char i = 0; i < 6; i++) {
        unsigned v = in[7 + i] % 6;
        if (used[v])
            permutation = 0;
        used[v] = 1;
        inverse[v] = i;
    }
    if (permutation) {
        puts("permutation");
        if (inverse[0] == 3 && inverse[inverse[1]] == 5)
            puts("inverse");
    }

    // Wider elements, and a field inside a struct.
    uint32_t words[4] = {0};
    struct { uint8_t tag; int16_t value; } slots[4] = {{0, 0}};
    for (int i = 0; i < 6; i++) {
        words[in[7 + i] & 3] += in[i] * 1000u;
        slots[in[i] & 3].value = (int16_t)(slots[in[i] & 3].value - in[7 + i]);
    }
    if (words[1] == 207000)
        puts("words");
    if (slots[2].value == -8 || slots[3].tag != 0)
        puts("slots");

    unsigned char list[4] = {'n', 'b', 'c', 'a'};
    int cost = 0;
    for (int i = 0; i < 6; i++)
        cost += move_to_front(list, 4, in[i]);
    if (cost == 8)
        puts("cost");
    return 0;
}
