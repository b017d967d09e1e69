// sscanf: numbers of every length and base, strings, sets, characters,
// literals, widths, suppressed fields, and where it stopped.
//~ STDIN: "-12 0x1f:077,abc\tdef|1234567|[a-c]xyz|99999999999999999999 300 k%7"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char in[80];

// The rest of the input behind the next bar.
static char *next_part(char *at)
{
    char *bar = strchr(at, '|');
    if (!bar)
        return at + strlen(at);
    *bar = 0;
    return bar + 1;
}

int main(void)
{
    if (read(0, in, sizeof in - 1) < 0)
        return 1;
    char *first = in, *second = next_part(first), *third = next_part(second), *fourth = next_part(third);
    int a = 0, b = 0, n = 0;
    unsigned c = 0;
    char word[9] = "", other[9] = "";

    int count = sscanf(first, "%d %i:%o,%8s%n", &a, &b, &c, word, &n);
    if (count == 4 && a == -12 && b == 31 && c == 63)
        puts("three numbers");
    if (n == 16)
        puts("sixteen characters");
    if (strcmp(word, "abd") == 0)
        puts("abd");

    short low = 0;
    signed char tiny = 0;
    long wide = 0;
    count = sscanf(second, "%2hd%*1d%hhd%ld", &low, &tiny, &wide);
    if (count == 2 && low == 12 && tiny == 7)
        puts("short fields");
    if (count == 2)
        puts("no long");

    char letters[4] = "";
    count = sscanf(third, "[%[a-c-]%[^z]%3c", word, other, letters);
    if (count == 2)
        puts("sets");
    if (word[1] == '-' && other[0] == ']')
        puts("between brackets");

    unsigned long long huge = 0;
    unsigned char cut = 0;
    char *made = NULL;
    count = sscanf(fourth, "%llu%hhu %m[k-m]%%%x", &huge, &cut, &made, &c);
    if (huge == 7)
        puts("seven");
    if (cut == 44)
        puts("cut to a byte");
    if (count >= 3 && made[0] == 'l')
        puts("l");
    if (count == 4 && c == 7)
        puts("all");
    if (count == -1)
        puts("nothing there");
    printf("%d %d %u %d %ld %llu\n", a, b, c, low, wide, huge);
    free(made);
    return 0;
}
