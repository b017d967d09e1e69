// Library functions called through pointers of other types: a wider argument
// is cut as its value is; what a narrower one says nothing of is lost.
//~ STDIN: "castings"
//~ LOSES: narrower
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef char *(*wider)(const char *, long);
typedef char *(*narrower)(const char *, char);

int main(void)
{
    char bytes[9] = "";
    wider volatile find_wide = (wider)(void *)strchr;
    narrower volatile find_narrow = (narrower)(void *)strchr;
    if (read(0, bytes, 8) < 0)
        return 1;
    char *found = find_wide("abc", bytes[0]);
    if (found && *found == 'b')
        puts("b");
    found = find_narrow("stu", bytes[2]);
    if (found && *found == 't')
        puts("t");
    return 0;
}
