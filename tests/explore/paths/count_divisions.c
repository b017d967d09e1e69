// A division that the first run on its path makes by zero: the paths on which it does not trap count as well.
//~ STRATEGY: dfs
//~ PATHS: 6
//~ EXHAUSTED: yes
//~ FINDS: division-by-zero main
//~ QUICK
#include <gimlet.h>

int main(void)
{
    signed char bytes[3] = {0};
    gimlet_symbolic(bytes, sizeof bytes, "bytes");
    if (bytes[0] == 'x') {
        // By zero, and above or not.
        int quotient = 100 / bytes[1];
        return quotient > 50 ? 1 : 2;
    }
    if (bytes[0] == 'y') {
        // Not by zero, for whatever it is; equal or not.
        int rest = 7 % (bytes[1] | 1);
        return rest == 1 ? 3 : 4;
    }
    return 0;
}
