/* Memory that ends where the next page begins, which nobody may touch: what goes past the end is a fault. */
#include <stdlib.h>
#include <sys/mman.h>

static char *fenced(size_t size)
{
    size_t page = 4096;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        exit(2);
    return pages + page - size;
}
