// A flag is cleared behind the one for the length of a string; the longest string that is allowed has none behind it.
//~ STDIN: "ab\0d"
//~ FINDS: stack-out-of-bounds t1
//~ SOLUTION: "abcd"
//~ QUICK
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int sum(const int *A, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += A[i];
    return total;
}

__attribute__((noinline)) static void t1(const char *s)
{
    unsigned int i;
    int A[5] = {1, 1, 1, 1, 1};
    i = (unsigned int)strlen(s);
#ifdef FIXED
    if (i > 3)
        return;
#else
    if (i > 4)
        return;
#endif
    A[i + 1] = 0; //~ HERE
    printf("%d\n", sum(A, 5));
}

int main(void)
{
    char text[16];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    t1(text);
    return 0;
}
