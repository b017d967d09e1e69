// It ends before main.
//~ STDIN: "ab"
//~ SAYS: "never read"
//~ EXIT: 4
//~ QUICK
#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
    _exit(0);
}

int main(void)
{
    return 1;
}
