// A card number of sixteen digits whose check digit is right, of one certain bank.
//~ STDIN: "0000000000000001"
//~ FINDS: abort charge
//~ SOLUTION: "4711000000000002"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_valid(const char *number)
{
    int sum = 0;
    for (int i = 0; i < 16; i++) {
        if (number[i] < '0' || number[i] > '9')
            return 0;
        int digit = number[i] - '0';
        if (i % 2 == 0) {
            digit *= 2;
            if (digit > 9)
                digit -= 9;
        }
        sum += digit;
    }
    return sum % 10 == 0;
}

static void charge(const char *number)
{
    if (strncmp(number, "4711", 4) == 0)
        abort(); //~ HERE
    puts("charged");
}

int main(void)
{
    char number[16];
    if (fread(number, 1, sizeof number, stdin) != sizeof number || !is_valid(number)) {
        puts("not a card");
        return 1;
    }
    charge(number);
    return 0;
}
