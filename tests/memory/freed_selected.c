// A list of contacts of which one is selected; removing the selected one leaves it selected.
//~ STDIN: "+a+b*a-b?a"
//~ FINDS: use-after-free show
//~ SOLUTION: "+a+b*a-a?a"
#include <stdio.h>
#include <stdlib.h>

struct contact {
    struct contact *next;
    int n_shown;
    char id;
};

static struct contact *contacts, *selected;

static void add(char id)
{
    struct contact *contact = malloc(sizeof *contact);
    if (!contact)
        exit(1);
    contact->next = contacts;
    contact->n_shown = 0;
    contact->id = id;
    contacts = contact;
}

static void delete(char id)
{
    for (struct contact **link = &contacts; *link; link = &(*link)->next) {
        struct contact *contact = *link;
        if (contact->id != id)
            continue;
        *link = contact->next;
#ifdef FIXED
        if (selected == contact)
            selected = NULL;
#endif
        free(contact);
        return;
    }
}

static void choose(char id)
{
    for (struct contact *contact = contacts; contact; contact = contact->next)
        if (contact->id == id)
            selected = contact;
}

static void show(void)
{
    if (selected)
        printf("%d times\n", ++selected->n_shown); //~ HERE
}

int main(void)
{
    char command[2];
    for (int i = 0; i < 12 && fread(command, 1, 2, stdin) == 2; i++) {
        switch (command[0]) {
        case '+': add(command[1]); break;
        case '-': delete(command[1]); break;
        case '*': choose(command[1]); break;
        case '?': show(); break;
        default: break;
        }
    }
    while (contacts)
        delete(contacts->id);
    return 0;
}
