// Bit-fields: signed and unsigned, of 1 to 40 bits, written from the input,
// modified in place, compared, and passed by value.
//~ STDIN: "\xb5\x3c\x91\x7e\x42\xd8\x0f\x66"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct fields {
    unsigned flag : 1;
    signed small : 3;
    unsigned nibble : 4;
    unsigned middle : 11;
    signed wide : 13;
    uint64_t big : 40;
    int64_t rest : 24;
};

static __attribute__((noinline)) int sum(struct fields f)
{
    return f.small + (int)f.nibble + f.wide;
}

static void bump(struct fields *f)
{
    f->nibble++;
    f->middle += 5;
    f->big ^= f->middle;
    f->flag = !f->flag;
}

int main(void)
{
    uint64_t in = 0;
    if (read(0, &in, sizeof in) < 0)
        return 1;

    struct fields f = {0};
    f.flag = in & 1;
    f.small = (int)(in >> 1 & 3) - (int)(in >> 3 & 1) * 4;
    f.nibble = in >> 4 & 15;
    f.middle = in >> 8 & 0x7ff;
    f.wide = (int)(in >> 19 & 0x1fff) - 4096;
    f.big = in & 0xffffffffff;
    f.rest = (int64_t)(in >> 40) - 0x800000;

    if (f.flag && f.small == 2)
        puts("small");
    if (f.small < 0)
        puts("negative small");
    if (f.nibble == 11 && f.middle == 0x13c)
        puts("middle");
    if (f.wide > 50 && f.wide < 60)
        puts("wide");
    if (f.big >> 32 == 0x42)
        puts("big");
    if (f.rest < -1000000)
        puts("rest");
    if (sum(f) == -35)
        puts("sum");
    bump(&f);
    if (f.nibble == 12 && !f.flag)
        puts("bumped");
    if (f.big % 16 == 4)
        puts("big changed");
    printf("%d %d\n", sum(f), (int)f.rest);
    return 0;
}
