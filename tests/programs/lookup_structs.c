// A table of structs searched and indexed by the input, with fields of
// several sizes, inner arrays and pointers to other entries.
//~ STDIN: "\x13\x02\x05mul\x04"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct instruction {
    char name[4];
    uint8_t code;
    int16_t cycles;
    uint32_t mask;
    const struct instruction *alias;
    uint8_t operands[3];
};

static const struct instruction set[8] = {
    {"nop", 0x00, 1, 0x0000, NULL, {0, 0, 0}},
    {"add", 0x10, 2, 0x000f, NULL, {1, 1, 0}},
    {"sub", 0x11, 2, 0x000f, NULL, {1, 1, 0}},
    {"mul", 0x12, 9, 0x00ff, NULL, {1, 1, 2}},
    {"ldr", 0x13, 5, 0x0f00, NULL, {1, 3, 0}},
    {"str", 0x23, 5, 0x0f00, &set[4], {3, 1, 0}},
    {"dec", 0x31, 2, 0x000f, &set[2], {1, 0, 0}},
    {"hlt", 0xff, -1, 0xffff, &set[0], {0, 0, 0}},
};

static const struct instruction *by_code(uint8_t code)
{
    for (const struct instruction *i = set; i < set + 8; i++)
        if (i->code == code)
            return i;
    return NULL;
}

static const struct instruction *by_name(const unsigned char *name)
{
    for (unsigned i = 0; i < 8; i++)
        if (memcmp(set[i].name, name, 3) == 0)
            return &set[i];
    return &set[0];
}

int main(void)
{
    unsigned char in[7] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;

    const struct instruction *a = by_code(in[0]);
    if (a)
        printf("code of %s\n", a->name);
    if (set[in[1] & 7].cycles == 9)
        puts("nine cycles");
    const struct instruction *b = &set[in[2] & 7];
    while (b->alias)
        b = b->alias;
    if (b->mask == 0x0f00)
        puts("alias");
    const struct instruction *c = by_name(in + 3);
    if (c->cycles < 0)
        puts("halts");
    if (c->operands[in[6] % 3] == set[in[1] & 7].operands[1])
        puts("same operand");
    int cycles = set[in[1] & 7].cycles + set[in[2] & 7].cycles + set[in[6] & 7].cycles;
    if (cycles == 16)
        puts("sixteen");
    printf("%d\n", cycles);
    return 0;
}
