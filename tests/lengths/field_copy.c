// A record of users, separated by commas: before the real name is copied, it is the login that is measured again.
//~ STDIN: "joe,Joe Doe,/home/joe\n"
//~ FINDS: global-out-of-bounds read_user
//~ TEXT
#include <stdio.h>
#include <string.h>

enum { MAX_FIELD = 128 };

static char login[MAX_FIELD];
static char real_name[MAX_FIELD];
static char home[MAX_FIELD];

static int read_user(const char *record)
{
    const char *first = strchr(record, ',');
    if (!first)
        return -1;
    size_t login_length = (size_t)(first - record);
    if (login_length == 0 || login_length >= sizeof login)
        return -1;
    memcpy(login, record, login_length);
    login[login_length] = '\0';

    const char *second = strchr(first + 1, ',');
    if (!second)
        return -1;
    size_t name_length = (size_t)(second - first - 1);
#ifdef FIXED
    if (name_length >= sizeof real_name)
        return -1;
#else
    if (login_length >= sizeof real_name)
        return -1;
#endif
    memcpy(real_name, first + 1, name_length); //~ HERE
    real_name[name_length] = '\0'; //~ HERE

    size_t home_length = strlen(second + 1);
    if (home_length >= sizeof home)
        return -1;
    memcpy(home, second + 1, home_length + 1);
    return 0;
}

int main(void)
{
    char line[1024];
    int number = 0;
    while (fgets(line, sizeof line, stdin)) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (read_user(line) != 0) {
            printf("line %d: bad record\n", number);
            return 1;
        }
        printf("%s (%s) in %s\n", login, real_name, home);
    }
    return 0;
}
