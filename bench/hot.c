/* A hot loop on concrete data: a random number, three table loads, one store and
 * one branch that depends on the data, in each of 20 million rounds. */
#include "timing.h"
#include <stdint.h>

#define CELLS 4096

static uint32_t one[CELLS], two[CELLS], three[CELLS];

int main(int argc, char **argv)
{
    uint64_t random = 88172645463325252u;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        one[i] = i * 2654435761u;
        two[i] = i ^ 0x5bd1e995u;
        three[i] = i;
    }
    begin();
    for (long round = 0; round < 20000000; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t a = one[random % CELLS];
        uint32_t b = two[(a >> 7) % CELLS];
        uint32_t c = three[(b ^ random) % CELLS];
        if (c & 1)
            sum += a ^ b;
        else
            sum ^= b + c;
        three[sum % CELLS] = sum + (uint32_t)round;
    }
    end(argc, argv);
    return sum == 0;
}
