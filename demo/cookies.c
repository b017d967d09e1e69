/* Cookies for a party: "bake 24 cookies for 7" says how many each guest gets. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows the word, if the text begins with it. */
static const char *word(const char *text, const char *wanted)
{
    size_t len = strlen(wanted);
    return text && strncmp(text, wanted, len) == 0 ? text + len : NULL;
}

/* What follows a number of at most three digits. */
static const char *number(const char *text, int *value)
{
    char *rest;
    if (!text || !isdigit((unsigned char)*text))
        return NULL;
    *value = (int)strtol(text, &rest, 10);
    return rest - text <= 3 ? rest : NULL;
}

static int share(int cookies, int people)
{
    int guests = people - 1; /* the baker never eats any */
    return cookies / guests;
}

int main(void)
{
    char order[64];
    int cookies = 0, people = 0;
    order[fread(order, 1, sizeof order - 1, stdin)] = '\0';
    const char *rest = number(word(order, "bake "), &cookies);
    rest = number(word(rest, " cookies for "), &people);
    if (!rest || cookies == 0 || people == 0) {
        puts("say: bake 24 cookies for 7");
        return 1;
    }
    printf("%d for each guest\n", share(cookies, people));
    return 0;
}
