// A lookup by name that may find nothing, and a caller that does not ask.
//~ STDIN: "alice bob"
//~ FINDS: segv age_of
//~ SOLUTION: "alice eve"
#include <stdio.h>
#include <string.h>

struct person {
    const char *name;
    int age;
};

struct person people[] = {{"alice", 31}, {"bob", 28}, {"carol", 44}};

__attribute__((noinline)) static struct person *find(const char *name)
{
    for (size_t i = 0; i < sizeof people / sizeof people[0]; i++)
        if (strcmp(people[i].name, name) == 0)
            return &people[i];
    return NULL;
}

__attribute__((noinline)) static int age_of(struct person *person)
{
    return person->age; //~ HERE
}

int main(void)
{
    char text[24];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    char *second = strchr(text, ' ');
    if (!second)
        return 1;
    *second++ = '\0';
    struct person *first = find(text);
    if (!first) {
        puts("who?");
        return 1;
    }
    printf("%d\n", age_of(find(second)) - first->age);
    return 0;
}
