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
        if (quotient > 50)
            return 1;
        return 2;
    }
    if (bytes[0] == 'y') {
        // Not by zero, for whatever it is; equal or not.
        int rest = 7 % (bytes[1] | 1);
        if (rest == 1)
            return 3;
        return 4;
    }
    return 0;
}
