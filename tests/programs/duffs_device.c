// Duff's device: a switch into the middle of a loop, copying and summing an
// input-dependent number of bytes.
//~ STDIN: "\x0bthe quick brown fox jumps"
#include <stdio.h>
#include <unistd.h>

static unsigned copy(unsigned char *to, const unsigned char *from, unsigned count)
{
    unsigned rounds = (count + 7) / 8, vowels = 0;

#define STEP                                    \
    *to = *from++;                              \
    vowels += *to == 'a' || *to == 'e' || *to == 'i' || *to == 'o' || *to == 'u'; \
    to++;

    if (count == 0)
        return 0;
    switch (count % 8) {
    case 0: do { STEP __attribute__((fallthrough));
    case 7:      STEP __attribute__((fallthrough));
    case 6:      STEP __attribute__((fallthrough));
    case 5:      STEP __attribute__((fallthrough));
    case 4:      STEP __attribute__((fallthrough));
    case 3:      STEP __attribute__((fallthrough));
    case 2:      STEP __attribute__((fallthrough));
    case 1:      STEP
            } while (--rounds > 0);
    }
    return vowels;
}

int main(void)
{
    unsigned char in[33] = {0}, out[33] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    unsigned count = in[0] & 31;
    unsigned vowels = copy(out, in + 1, count);
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += out[i];
    if (vowels == 3)
        puts("three vowels");
    if (sum % 64 == 17)
        puts("sum");
    if (out[9] == 'z')
        puts("z at 9");
    printf("%u %u %u\n", count, vowels, sum);
    return 0;
}
