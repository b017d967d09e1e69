// An index from the input into a table of pointers, some of which are empty.
//~ STDIN: "\x00\x01\x02"
//~ FINDS: segv play
//~ SOLUTION: "\x02\x01\x04"
#include <stdio.h>
#include <string.h>

struct sound {
    const char *name;
    int length;
};

static struct sound bell = {"bell", 3}, horn = {"horn", 5}, drum = {"drum", 2};
struct sound *bank[8] = {&bell, &horn, &drum, &bell, NULL, &horn, &drum, &bell};

static int play(unsigned index)
{
    struct sound *sound = bank[index & 7];
    return sound->length; //~ HERE
}

int main(void)
{
    unsigned char song[3];
    if (fread(song, 1, sizeof song, stdin) != sizeof song)
        return 1;
    // Only after a drum and a horn is the last one played.
    if (play(song[0] & 3) != 2 || play(song[1] & 3) != 5) {
        puts("out of tune");
        return 1;
    }
    printf("%d\n", play(song[2]));
    return 0;
}
