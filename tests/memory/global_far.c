// Four names have a slot each, and a request may name any slot of two digits.
// AddressSanitizer does not see it: the slots of the solution lie inside the notes, another global.
//~ STDIN: "+02joe?02"
//~ FINDS: global-out-of-bounds fill
//~ SOLUTION: "+92joe?02"
#include <stdio.h>
#include <string.h>

enum { N_SLOTS = 4, SLOT = 16, NOTES = 4096 };

char slots[N_SLOTS * SLOT] = "root";
char notes[NOTES] = "none";

static void fill(char *table, int slot, const char *name)
{
    char *entry = table + slot * SLOT;
    for (int i = 0; i < 3; i++)
        entry[i] = name[i]; //~ HERE
}

static int slot_of(const char *digits)
{
    if (digits[0] < '0' || digits[0] > '9' || digits[1] < '0' || digits[1] > '9')
        return -1;
    return (digits[0] - '0') * 10 + digits[1] - '0';
}

int main(void)
{
    char text[24] = {0};
    fread(text, 1, sizeof text - 1, stdin);
    memset(notes, '.', sizeof notes - 1);
    for (const char *c = text; *c;) {
        int slot = slot_of(c + 1);
        if (slot < 0)
            return 1;
        if (*c == '+' && strlen(c) >= 6) {
#ifdef FIXED
            if (slot < N_SLOTS)
#endif
                fill(slots, slot, c + 3);
            c += 6;
        } else if (*c == '?') {
            if (slot < N_SLOTS)
                printf("%s\n", slots + slot * SLOT);
            c += 3;
        } else {
            return 1;
        }
    }
    printf("%zu\n", strlen(notes));
    return 0;
}
