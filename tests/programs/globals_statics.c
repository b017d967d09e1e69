// State in globals and static locals, changed by input-dependent calls, with
// pointers to globals, initialised and zero data, and volatile variables.
//~ STDIN: "+++-r+*d*"
#include <stdio.h>
#include <unistd.h>

static int counter = 5;
static unsigned history[4];
static int *target = &counter;
static int spare;
static volatile int gauge;
int exported = -1;

static unsigned generation(void)
{
    static unsigned count;
    return ++count;
}

static int previous(int now)
{
    static int last = 100;
    int old = last;
    last = now;
    return old;
}

static void step(unsigned char c)
{
    switch (c) {
    case '+': *target += 1; break;
    case '-': *target -= 1; break;
    case '*': *target *= 2; break;
    case 'r': exported = *target; break;
    case 's': target = target == &counter ? &spare : &counter; break;
    case 'd': gauge = gauge + *target; break;
    default: return;
    }
    history[generation() & 3] = c;
}

int main(void)
{
    unsigned char in[9] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    int drops = 0;
    for (int i = 0; i < 9; i++) {
        step(in[i]);
        if (previous(in[i]) > in[i])
            drops++;
    }
    if (counter == 32)
        puts("counter");
    if (exported == 7)
        puts("exported");
    if (spare != 0)
        puts("spare");
    if (gauge > 15)
        puts("gauge");
    if (history[1] == '*' && history[2] != '+')
        puts("history");
    if (generation() == 10)
        puts("every step counted");
    if (drops == 4)
        puts("four drops");
    printf("%d %d %d %d\n", counter, exported, gauge, drops);
    return 0;
}
