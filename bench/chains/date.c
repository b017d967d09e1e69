// Reads a line "YYYY-MM-DD HH:MM", and the goal wants Wednesday, 29 February, after 2100, minute equal to hour.
//~ STDIN: "2023-07-14 09:30\n"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 4096, LEN = 16, FIRST_YEAR = 1600 };

enum { SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY };

struct date {
    int year, month, day, hour, minute;
};

/* A number of n digits, or -1. */
static int digits(const char *p, int n)
{
    int value = 0;

    for (int i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        value = value * 10 + (p[i] - '0');
    }
    return value;
}

static int is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int n_days(int year, int month)
{
    switch (month) {
    case 2:
        return is_leap(year) ? 29 : 28;
    case 4: case 6: case 9: case 11:
        return 30;
    default:
        return 31;
    }
}

static int day_of_year(const struct date *date)
{
    int day = date->day;

    for (int month = 1; month < date->month; month++)
        day += n_days(date->year, month);
    return day;
}

/* 0 for a Sunday. */
static int weekday(const struct date *date)
{
    int before = date->year - 1;

    return (before + before / 4 - before / 100 + before / 400 + day_of_year(date)) % 7;
}

static const char *read_date(struct date *date, const char *in)
{
    if (in[4] != '-' || in[7] != '-')
        return "a date has two hyphens";
    date->year = digits(in, 4);
    date->month = digits(in + 5, 2);
    date->day = digits(in + 8, 2);
    if (date->year < 0 || date->month < 0 || date->day < 0)
        return "a date has digits";
    if (date->year < FIRST_YEAR)
        return "year too early";
    if (date->month < 1 || date->month > 12)
        return "no such month";
    if (date->day < 1 || date->day > n_days(date->year, date->month))
        return "no such day";
    return NULL;
}

static const char *read_time(struct date *date, const char *in)
{
    if (in[2] != ':')
        return "a time has a colon";
    date->hour = digits(in, 2);
    date->minute = digits(in + 3, 2);
    if (date->hour < 0 || date->minute < 0)
        return "a time has digits";
    if (date->hour > 23)
        return "no such hour";
    if (date->minute > 59)
        return "no such minute";
    return NULL;
}

static const char *read_line(struct date *date, const char *in, size_t n)
{
    const char *error;

    if (n > 0 && in[n - 1] == '\n')
        n--;
    if (n < LEN)
        return "line too short";
    if (n > LEN)
        return "line too long";
    if (in[10] != ' ')
        return "no space before the time";
    error = read_date(date, in);
    return error ? error : read_time(date, in + 11);
}

static const char *part_of_day(int hour)
{
    if (hour < 6)
        return "night";
    if (hour < 12)
        return "morning";
    return hour < 18 ? "afternoon" : "evening";
}

int main(void)
{
    static char in[MAX_INPUT];
    struct date date = {0, 0, 0, 0, 0};
    const char *error = read_line(&date, in, fread(in, 1, sizeof in, stdin));
    int day;

    if (error) {
        fprintf(stderr, "date: %s\n", error);
        return 1;
    }
    day = weekday(&date);
    if (date.month == 2 && date.day == 29 && day == WEDNESDAY && date.year > 2100 && date.minute == date.hour)
        abort(); // the goal
    printf("day %d of the year, %s\n", day_of_year(&date), part_of_day(date.hour));
    if (day == SATURDAY || day == SUNDAY)
        printf("weekend\n");
    return 0;
}
