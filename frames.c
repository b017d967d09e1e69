#include <stdlib.h>
void free_as(void *block, unsigned long frame);
int main(void)
{
    for (unsigned long bit = 3; bit < 64; bit++) {
        free_as(malloc(8), -(1ul << bit));
        free_as(malloc(8), 1ul << bit);
    }
    return 0;
}
