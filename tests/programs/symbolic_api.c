// The interface of <gimlet.h>: variables made symbolic in place, assumptions
// about them, and assertions that hold under these.
#include <gimlet.h>
#include <stdint.h>
#include <stdio.h>

struct order { uint16_t quantity; uint8_t discount; uint8_t express; };

static uint32_t price(const struct order *o)
{
    uint32_t total = o->quantity * 7u;
    if (o->discount)
        total -= total * o->discount / 100;
    if (o->express == 1)
        total += 15;
    return total;
}

int main(void)
{
    struct order order = {20, 10, 0};
    int32_t x = 5, y = 9;
    unsigned char bytes[4] = {1, 2, 3, 4};
    gimlet_symbolic(&order, sizeof order, "order");
    gimlet_symbolic(&x, sizeof x, "x");
    gimlet_symbolic(&y, sizeof y, "y");
    gimlet_symbolic(bytes, sizeof bytes, "bytes");

    gimlet_assume(order.quantity > 0 && order.quantity < 1000);
    gimlet_assume(order.discount <= 50);
    uint32_t total = price(&order);
    gimlet_assert(total > 0);
    gimlet_assert(total <= 7008);
    if (total == 141)
        puts("price is 141");
    else if (total > 5000)
        puts("expensive");

    gimlet_assume(x > -1000 && x < 1000);
    gimlet_assume(y > x);
    int32_t distance = x < 0 && y > 1000000 ? 0 : y - x;
    if (distance == 4 && x * 3 == y + 6)
        puts("x is 5");
    if (distance == 77)
        puts("far");
    gimlet_assert(y != x);

    unsigned sum = 0;
    for (int i = 0; i < 4; i++)
        sum += bytes[i] * (i + 1u);
    if (sum == 100)
        puts("weighted sum is 100");
    if (bytes[0] > bytes[3])
        puts("falling");
    return 0;
}
