// scanf on the input itself, mixed with getchar and ungetc, up to the end of
// the file.
//~ STDIN: "3 10 -20 30 apple x=0x2a;+5\nq"
#include <stdio.h>
#include <string.h>

int main(void)
{
    unsigned count = 0;
    if (scanf("%u", &count) != 1)
        return 1;
    int value = 0;
    long sum = 0;
    for (unsigned i = 0; i < count % 8; i++) {
        if (scanf("%d", &value) != 1)
            return 2;
        sum += value;
    }
    if (sum == 25)
        puts("twenty-five");
    char word[6];
    if (scanf("%5s", word) == 1 && strcmp(word, "appla") == 0)
        puts("appla");
    int c = getchar();
    if (c != ' ')
        puts("no blank");
    ungetc(c, stdin);
    char name;
    if (fscanf(stdin, " %c=%i", &name, &value) == 2 && value == 43)
        puts("43");
    ungetc('7', stdin);
    int pushed = 0;
    if (scanf("%d", &pushed) == 1 && pushed == 7)
        puts("pushed back");
    int last = 0;
    int matched = scanf(";%d\nq%d", &value, &last);
    if (matched == 1 && feof(stdin))
        puts("end");
    if (value == -5)
        puts("minus five");
    printf("%ld %d\n", sum, matched);
    return 0;
}
