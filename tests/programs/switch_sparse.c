// Sparse switches, which become trees of comparisons: far-apart 32-bit
// constants, and cases that share a body.
//~ STDIN: "RIFF\x39\x05\x00\x00WAVE"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TAG(a, b, c, d) ((uint32_t)(a) | (b) << 8 | (c) << 16 | (uint32_t)(d) << 24)

static const char *container(uint32_t tag)
{
    switch (tag) {
    case TAG('R', 'I', 'F', 'F'): return "riff";
    case TAG('F', 'O', 'R', 'M'): return "iff";
    case TAG('O', 'g', 'g', 'S'): return "ogg";
    case TAG('\x7f', 'E', 'L', 'F'): return "elf";
    case TAG('P', 'K', 3, 4): return "zip";
    case 0: return "empty";
    default: return "unknown";
    }
}

static unsigned weight(uint32_t n)
{
    unsigned w = 0;
    switch (n) {
    case 1337:
        w += 13;
        break;
    case 3:
    case 1000:
    case 70000:
    case 4000000000u:
        w += 4;
        break;
    case 999999937:
        w = 99;
        break;
    case 12:
    case 120:
        w += n / 12;
        break;
    }
    return w;
}

int main(void)
{
    uint32_t words[3] = {0};
    if (read(0, words, sizeof words) < 0)
        return 1;
    puts(container(words[0]));
    puts(container(words[2]));
    unsigned w = weight(words[1]) * 2 + weight(words[1] ^ words[0] ^ words[2]);
    if (w == 26)
        puts("exactly 26");
    if (w == 220)
        puts("no solution");
    printf("%u\n", w);
    return 0;
}
