// Functions that are always inlined, at -O0 too: into loops, into each other, with constants, with variables of their own.
//~ STDIN: "k=12;vw=7;n=403;"
#include <stdio.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

struct pair {
    char key[4];
    unsigned value, digits, sum;
    unsigned char first, last;
};

ALWAYS int is_between(int c, int low, int high)
{
    return c >= low && c <= high;
}

ALWAYS unsigned mix(unsigned char *bytes, int count)
{
    unsigned char copy[4] = {0};
    for (int i = 0; i < count; i++)
        copy[i] = bytes[i] ^ (unsigned char)i;
    return copy[0] + 3u * copy[1] + 5u * copy[2];
}

/* Loads and stores in plenty without a branch: many labels leave one stretch of code. */
ALWAYS void add_digit(struct pair *pair, unsigned char c)
{
    unsigned digit = c - '0';
    pair->value = pair->value * 10 + digit;
    pair->digits++;
    pair->sum += digit;
    pair->first = pair->digits == 1 ? c : pair->first;
    pair->last = c;
}

ALWAYS const char *parse(const char *at, struct pair *pair, int key_max)
{
    int length = 0;
    while (*at && *at != '=') {
        if (length < key_max)
            pair->key[length++] = *at;
        at++;
    }
    if (*at == '=')
        at++;
    while (is_between(*at, '0', '9'))
        add_digit(pair, *at++);
    return *at ? at + 1 : at;
}

int main(void)
{
    char text[32] = {0};
    if (!fgets(text, sizeof text, stdin))
        return 1;
    const char *at = text;
    for (int i = 0; *at && i < 4; i++) {
        struct pair pair = {0};
        at = i % 2 ? parse(at, &pair, 2) : parse(at, &pair, 1);
        unsigned mixed = mix((unsigned char *)pair.key, 3);
        unsigned last = pair.last, first = pair.first, sum = pair.sum, value = pair.value;
        if (last > first)
            printf("grows ");
        if (sum + mixed > 200)
            printf("heavy ");
        printf("%s %s\n", value > 100 ? "large" : "small", is_between(mixed, 'a', 'z') ? "letter" : "other");
    }
    return 0;
}
