# What the model of a library function decides is at the place of the call, also of one by a pointer.
cat > prog.c <<'END'
#include <string.h>
#include <unistd.h>
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void copy_some(char *to, const char *from, size_t n)
{
    copy(to, from, n);
}
int main(void)
{
    char bytes[8] = "", to[8];
    if (read(0, bytes, sizeof bytes) < 0)
        return 1;
    copy_some(to, bytes, bytes[0] & 7);
    return 0;
}
END
gimlet-cc -O1 prog.c -o prog
printf abc > input
gimlet trace --stdin input -- ./prog | grep -q 'symbolic size at prog.c:6:5 in copy_some'
