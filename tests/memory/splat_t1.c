// A flag is cleared behind the one for the length of a string; the longest string that is allowed has none behind it.
//~ STDIN: "ab\0d"
//~ FINDS: stack-out-of-bounds t1
//~ SOLUTION: "abcd"
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { N = 5 * SCALE };

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
    int A[N];
    for (i = 0; i < N; i++)
        A[i] = 1;
    i = (unsigned int)strlen(s);
#ifdef FIXED
    if (i > N - 2)
        return;
#else
    if (i > N - 1)
        return;
#endif
    A[i + 1] = 0; //~ HERE
    printf("%d\n", sum(A, N));
}

int main(void)
{
    char text[16 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    t1(text);
    return 0;
}
