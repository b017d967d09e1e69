// A text that ends with its page, without an end of its own: a comparison that stops earlier reads no further.
//~ STDIN: "zzzzzz"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || munmap(pages + 4096, 4096))
        return 2;
    char *text = pages + 4096 - 6;
    if (read(0, text, 6) != 6)
        return 1;
    puts(strncmp(text, "magic", 100) == 0 ? "magic" : "none");
    return 0;
}
