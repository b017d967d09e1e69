// Two variables that never live at the same time: an optimiser may give them one place in the frame, and an address
// there must still belong to the one that lives.
//~ STDIN: "hello"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static void fill(void *to, size_t n) { memset(to, 'w', n); }

__attribute__((noinline)) static int first(const int *number) { return *number & 1; }

__attribute__((noinline)) static char at(const char *word, unsigned index) { return word[index]; }

int main(void)
{
    char in[5];
    if (read(0, in, 5) != 5)
        return 1;
    int odd;
    {
        int number;
        fill(&number, sizeof number);
        odd = first(&number);
    }
    {
        char word[8];
        fill(word, sizeof word);
        memcpy(word, in, 5);
        word[7] = 0;
        if (at(word, (unsigned char)in[0] % 8) == 0)
            puts("end");
        if (strcmp(word, "secretw") == 0)
            puts("secret");
    }
    printf("%d\n", odd);
    return 0;
}
