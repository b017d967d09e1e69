// Strings whose end is input: longer and shorter ones are possible, as far as
// the object goes. Sets, texts and characters to look for that are input too.
//~ STDIN: "ab\0cdef\0gh,i\0\0,b\0"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char in[18] = {0}, *set = in + 14;
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    size_t length = strlen(in);
    if (length == 2)
        puts("two");
    else if (length > 10)
        puts("long");
    if (strcmp(in, "abcdef") == 0)
        puts("abcdef");
    if (strcmp(in + 3, "cdxx") < 0)
        puts("before");
    const char *comma = strchr(in + 8, set[0]);
    if (comma)
        printf("comma %d\n", (int)(comma - in));
    const char *last = strrchr(in, 'b');
    if (last == in + 1)
        puts("b");
    if (strcspn(in + 8, set) == 2)
        puts("before a comma");
    if (strpbrk(in, set))
        puts("in the set");
    if (strstr(in, set + 1))
        puts("found");
    return 0;
}
