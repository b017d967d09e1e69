// WsMp3, third bug (EGT, section 6.3): dots and slashes at the start of a name are shifted out, the last one never.
//~ STDIN: "GET /a"
//~ FINDS: timeout strip
//~ SOLUTION: "GET /."
#include <stdio.h>
#include <string.h>

static void strip(char *cp)
{
    while (cp[0] == '.' || cp[0] == '/') //~ HERE
        for (int i = 1; cp[i] != '\0'; i++) { //~ HERE
            cp[i - 1] = cp[i]; //~ HERE
            if (cp[i + 1] == '\0') //~ HERE
                cp[i] = '\0'; //~ HERE
        }
}

int main(void)
{
    char buf[64] = {0};
    fread(buf, 1, sizeof buf - 2, stdin);
    if (strncmp(buf, "GET /", 5) != 0) {
        puts("no file");
        return 1;
    }
    strip(buf + 5);
    printf("%s\n", buf + 5);
    return 0;
}
