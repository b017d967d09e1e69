// The name of a user is a copy until it is reset to the standard one, which is then taken for a copy.
//~ STDIN: "name joe\nprint\n"
//~ FINDS: invalid-free forget
//~ SOLUTION: "name joe\nreset\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char standard[] = "guest";

struct user {
    char *name;
    int is_copy;
};

__attribute__((noinline)) static void forget(struct user *user)
{
    if (user->is_copy)
        free(user->name); //~ HERE
    user->name = NULL;
}

static int rename_user(struct user *user, const char *name)
{
    char *copy = strdup(name);
    if (!copy)
        return -1;
    forget(user);
    user->name = copy;
    user->is_copy = 1;
    return 0;
}

static void reset(struct user *user)
{
    forget(user);
    user->name = standard;
#ifdef FIXED
    user->is_copy = 0;
#endif
}

int main(void)
{
    char text[32];
    struct user user = {standard, 0};
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "name ", 5) == 0) {
            if (rename_user(&user, line + 5) != 0)
                return 1;
        } else if (strcmp(line, "reset") == 0) {
            reset(&user);
        } else if (strcmp(line, "print") == 0) {
            puts(user.name);
        }
    }
    forget(&user);
    return 0;
}
