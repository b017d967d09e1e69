// A date by sscanf: the last day of February in a leap year has no entry.
//~ STDIN: "2023-05-17"
//~ FINDS: assertion day_of_year
//~ SOLUTION: "2024-02-29"
#include <assert.h>
#include <stdio.h>

static int day_of_year(int year, int month, int day)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int total = day;
    for (int i = 0; i < month - 1; i++)
        total += length[i];
    if (day > length[month - 1] + (is_leap && month == 2))
        return 0;
    assert(day <= length[month - 1]); //~ HERE
    return total;
}

int main(void)
{
    char text[16];
    int year, month, day;
    if (!fgets(text, sizeof text, stdin) || sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3)
        return 1;
    if (year < 1970 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31)
        return 1;
    printf("%d\n", day_of_year(year, month, day));
    return 0;
}
