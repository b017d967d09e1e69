// Amount times price, both of 32 bits, in 64 bits: one certain total is booked twice.
//~ LEN: 8
//~ FINDS: abort book
//~ SOLUTION: "\x2b\x02\x00\x00\x00\xca\x9a\x3b"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t booked;

static void book(uint64_t total)
{
    booked += total;
    if (booked == 555000000000ull)
        abort(); //~ HERE
}

int main(void)
{
    uint32_t order[2];
    if (fread(order, sizeof order, 1, stdin) != 1)
        return 1;
    if (order[0] < 2 || order[1] < 1000) {
        puts("too small");
        return 1;
    }
    book((uint64_t)order[0] * order[1]);
    printf("%llu\n", (unsigned long long)booked);
    return 0;
}
