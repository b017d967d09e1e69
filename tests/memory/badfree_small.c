// Short strings live inside their structure; making one and freeing one draw the line at different lengths.
//~ STDIN: "hello\nold friend"
//~ FINDS: invalid-free string_free
//~ SOLUTION: "hello.o\nld friend"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8 };

struct string {
    char *text;
    size_t size;
    char small[SMALL];
};

__attribute__((noinline)) static int string_init(struct string *string, const char *text)
{
    string->size = strlen(text) + 1;
    string->text = string->size > SMALL ? malloc(string->size) : string->small;
    if (!string->text)
        return -1;
    memcpy(string->text, text, string->size);
    return 0;
}

__attribute__((noinline)) static void string_free(struct string *string)
{
#ifdef FIXED
    if (string->text != string->small)
        free(string->text);
#else
    if (string->size >= SMALL)
        free(string->text); //~ HERE
#endif
    string->text = NULL;
}

int main(void)
{
    char line[32];
    int n_lines = 0;
    while (n_lines < 8 && fgets(line, sizeof line, stdin)) {
        struct string string;
        line[strcspn(line, "\n")] = '\0';
        if (string_init(&string, line) != 0)
            return 1;
        printf("%d: %s\n", ++n_lines, string.text);
        string_free(&string);
    }
    return 0;
}
