// A function that is chosen while the program is being relocated: its resolver
// runs before anything of Gimlet is ready, and is also called by the program. A
// call through the ifunc itself does not find its callee: that is counted.
//~ STDIN: "ifunc!"
//~ NEEDS: models
#include <stdio.h>
#include <unistd.h>

static int times_three(int x) { return x * 3; }
static int plus_three(int x) { return x + 3; }
static int choice(int which) { return which & 1; }
static int (*resolve(void))(int) { return choice(1) ? times_three : plus_three; }
int chosen(int) __attribute__((ifunc("resolve")));

int main(void)
{
    unsigned char in[6] = {0};
    if (read(0, in, sizeof in) < 0)
        return 1;
    if (chosen(in[0]) == 3 * 'i')
        puts("chosen");
    if (resolve()(in[1]) > 300)
        puts("resolved");
    if (times_three(in[2]) % 7 == 2)
        puts("seven");
    if (plus_three(in[3]) == 'q')
        puts("q");
    return 0;
}
