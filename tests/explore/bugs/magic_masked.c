// A big-endian word is unmasked with a rolling key before it is compared.
//~ LEN: 4
//~ FINDS: assertion unlock
//~ SOLUTION: "\x29\x9c\xcb\x88"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static uint32_t unmask(const unsigned char *bytes)
{
    uint32_t word = 0;
    uint32_t key = 0x9e3779b9;
    for (int i = 0; i < 4; i++) {
        word = word << 8 | (uint32_t)(bytes[i] ^ (key & 0xff));
        key = rotate(key, 5) + bytes[i];
    }
    return word;
}

static void unlock(uint32_t word)
{
    assert(word != 0x90c0ffee); //~ HERE
    printf("locked: %08x\n", word);
}

int main(void)
{
    unsigned char bytes[4];
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return 1;
    unlock(unmask(bytes));
    return 0;
}
