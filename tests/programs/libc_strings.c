// String functions of libc beyond the basic ones: strchr, strstr, strspn,
// strtol, strtoul, memchr, strcpy, strcat and strtok on the input.
//~ STDIN: "name=gim; size=42; mode=0x1f"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char in[33] = {0}, copy[72];
    if (read(0, in, sizeof in - 1) < 0)
        return 1;

    const char *equals = strchr(in, '=');
    if (equals && equals - in == 4)
        puts("four before the sign");
    const char *last = strrchr(in, '=');
    if (last && strtol(last + 1, NULL, 0) == 31)
        puts("hexadecimal");
    const char *size = strstr(in, "size=");
    if (size && strtoul(size + 5, NULL, 10) == 42)
        puts("size");
    if (memchr(in, ';', 9))
        puts("semicolon");
    if (strspn(in, "aemn") == 4)
        puts("letters of name");
    if (strcspn(in, ";") > 20)
        puts("no early semicolon");
    if (strncasecmp(in, "NAME", 4) == 0)
        puts("name in any case");

    strcpy(copy, in);
    strcat(copy, ";");
    strncat(copy, in, 4);
    size_t length = strlen(copy);
    if (length == 33)
        puts("joined");
    unsigned parts = 0;
    for (char *part = strtok(copy, "; "); part; part = strtok(NULL, "; ")) {
        parts++;
        if (strcmp(part, "mode=fast") == 0)
            puts("fast");
    }
    printf("%u\n", parts);
    return parts == 5 ? 5 : 0;
}
