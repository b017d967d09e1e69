// getline: lines of any length in a buffer that libc allocates and grows.
//~ STDIN: "short\na considerably longer line, so that the buffer has to grow, and grow, and grow, and then some more of it to pass one hundred and twenty bytes\n\nrow 3\nlast"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    unsigned lines = 0, empty = 0, vowels = 0, grown = 0;
    ssize_t longest = 0;

    while ((length = getline(&line, &capacity, stdin)) > 0) {
        int ended = line[length - 1] == '\n';
        if (ended)
            line[--length] = '\0';
        lines++;
        if (length == 0)
            empty++;
        if (length > longest)
            longest = length;
        if (length > 120)
            grown++;
        // Only the first few bytes of each line are looked at.
        for (ssize_t i = 0; i < length && i < 6; i++)
            if (line[i] == 'a' || line[i] == 'e' || line[i] == 'o')
                vowels++;
        if (strncmp(line, "row ", 4) == 0 && line[4] > '2')
            puts("row");
        if (!ended)
            puts("no newline at the end");
    }
    free(line);
    if (empty == 1 && lines == 5)
        puts("as given");
    if (grown > 1)
        puts("grown twice");
    printf("%u lines, %u vowels, longest %d\n", lines, vowels, (int)longest);
    return 0;
}
