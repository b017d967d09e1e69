// A dense switch, which becomes a jump table, and one that optimisation turns
// into a table of results.
//~ STDIN: "\x00\x03\x07\x0b\x05\xff\x09\x02"
#include <stdio.h>
#include <unistd.h>

static int operate(unsigned op, int acc)
{
    switch (op) {
    case 0: return acc + 1;
    case 1: return acc - 1;
    case 2: return acc * 2;
    case 3: return acc ^ 0x55;
    case 4: return -acc;
    case 5: return acc & 0xf0;
    case 6: return acc | 0x0f;
    case 7: return acc + 100;
    case 8: return acc / 3;
    case 9: return acc % 7;
    case 10: printf("[%d]", acc); return acc;
    case 11: return acc == 7 ? 70 : 7;
    default: return acc;
    }
}

static int days(unsigned month)
{
    switch (month) {
    case 0: return 31;
    case 1: return 28;
    case 2: return 31;
    case 3: return 30;
    case 4: return 31;
    case 5: return 30;
    case 6: return 31;
    case 7: return 31;
    case 8: return 30;
    case 9: return 31;
    case 10: return 30;
    case 11: return 31;
    }
    return 0;
}

int main(void)
{
    unsigned char in[8] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    int acc = 0, total = 0;
    for (int i = 0; i < 8; i++) {
        acc = operate(in[i], acc) % 1000;
        total += days(in[i]);
    }
    if (acc == 42)
        puts("forty-two");
    if (total > 215)
        puts("long");
    else if (total < 60)
        puts("short");
    printf("%d %d\n", acc, total);
    return 0;
}
