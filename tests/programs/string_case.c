// Comparisons that ignore case, or follow the locale, which is "C" here.
//~ STDIN: "HeLLo\0[world]\0hello"
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *order(int v)
{
    return v < 0 ? "before" : v > 0 ? "after" : "equal";
}

int main(void)
{
    char in[20] = {0}, key[20];
    if (read(0, in, sizeof in - 1) < 0 || !setlocale(LC_ALL, "C"))
        return 1;

    puts(order(strcasecmp(in, "hello")));
    puts(order(strcasecmp(in, in + 14)));
    puts(order(strcasecmp(in + 6, "WORLD")));
    puts(order(strncasecmp(in, "HELP", 3)));
    puts(order(strncasecmp(in + 6, "[W0", 3)));
    puts(order(strcoll(in, in + 14)));
    if (strcasecmp(in + 14, "hell") == 'o')
        puts("the difference");
    if (strxfrm(key, in + 6, sizeof key) == 7 && key[0] == '[')
        puts("key");
    return 0;
}
