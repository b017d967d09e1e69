// A zone of names that are another name or an address; the lookup of another name may find none.
//~ STDIN: "a=b;b=1;c=2;?a"
//~ FINDS: null-dereference resolve
//~ SOLUTION: "a=d;b=1;c=2;?a"
//~ QUICK
#include <stdio.h>
#include <string.h>

enum { MAX_RECORDS = 4, MAX_HOPS = 6 };

struct record {
    char name;
    char target;
};

static struct record zone[MAX_RECORDS];
static int n_records;

__attribute__((noinline)) static struct record *find(char name)
{
    for (int i = 0; i < n_records; i++)
        if (zone[i].name == name)
            return &zone[i];
    return NULL;
}

static int resolve(char name)
{
    struct record *record = find(name);
    if (!record)
        return -1;
    for (int i = 0; i < MAX_HOPS; i++) {
        char target = record->target; //~ HERE
        if (target >= '0' && target <= '9')
            return target - '0';
        record = find(target);
#ifdef FIXED
        if (!record)
            return -1;
#endif
    }
    return -1;
}

int main(void)
{
    char text[24] = {0};
    const char *c = text;
    fread(text, 1, sizeof text - 1, stdin);
    for (; n_records < MAX_RECORDS && c[0] && c[1] == '=' && c[2] && c[3] == ';'; c += 4)
        zone[n_records++] = (struct record){c[0], c[2]};
    if (c[0] != '?')
        return 1;
    printf("%d\n", resolve(c[1]));
    return 0;
}
