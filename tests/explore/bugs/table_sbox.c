// Two rounds of a substitution table over four bytes.
//~ LEN: 4
//~ FINDS: abort main
//~ SOLUTION: "\xb2\xc2\x95\xc2"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t box[256];

static void fill(void)
{
    // A permutation: multiplication by an odd number, then its high bits folded in.
    for (int i = 0; i < 256; i++) {
        uint8_t x = (uint8_t)(i * 167 + 13);
        box[i] = (uint8_t)(x ^ x >> 4);
    }
}

static uint32_t encrypt(const uint8_t *text)
{
    uint8_t state = 0x5a;
    uint32_t cipher = 0;
    for (int i = 0; i < 4; i++) {
        state = box[box[text[i]] ^ state];
        cipher = cipher << 8 | state;
    }
    return cipher;
}

int main(void)
{
    uint8_t text[4];
    fill();
    if (fread(text, 1, sizeof text, stdin) != sizeof text)
        return 1;
    uint32_t cipher = encrypt(text);
    if (cipher == 0x13371337)
        abort(); //~ HERE
    printf("%08x\n", cipher);
    return 0;
}
