// A verification task: an array that is sorted, strictly, with a given middle and sum.
//~ FINDS: unreachable check
//~ SOLUTION values: "\x01\x02\x2a\x30\x43"
#include <gimlet.h>

extern void reach_error(void);

static void check(const unsigned char *values)
{
    unsigned sum = 0;
    for (int i = 0; i < 5; i++)
        sum += values[i];
    if (values[2] == 42 && sum == 160)
        reach_error(); //~ HERE
}

int main(void)
{
    unsigned char values[5] = {1, 2, 3, 4, 5};
    gimlet_symbolic(values, sizeof values, "values");
    for (int i = 1; i < 5; i++)
        if (values[i - 1] >= values[i])
            return 0;
    check(values);
    return 0;
}
