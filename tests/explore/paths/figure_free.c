// `free` of the dissertation's Figure 5.1 with N = 2: each count is raised where its page is in use.
//~ STRATEGY: dfs
//~ PATHS: 4
//~ EXHAUSTED: yes
#include <assert.h>
#include <gimlet.h>

#define N 2

static void free_pages(const int *pages, unsigned *count)
{
    unsigned old_count[N];
    for (int i = 0; i < N; i++)
        old_count[i] = count[i];
    for (int i = 0; i < N; i++)
        if (pages[i] != 0)
            count[i]++;
    for (int i = 0; i < N; i++)
        if (pages[i] != 0)
            assert(count[i] == old_count[i] + 1);
}

int main(void)
{
    int pages[N] = {0};
    unsigned count[N] = {0};
    gimlet_symbolic(pages, sizeof pages, "pages");
    gimlet_symbolic(count, sizeof count, "count");
    free_pages(pages, count);
    return 0;
}
