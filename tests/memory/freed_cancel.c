// Jobs a, b, c .. run in their order and can cancel another; the one that cancels itself is left by its own next pointer.
//~ STDIN: "p1cap2cep3"
//~ FINDS: use-after-free run
//~ SOLUTION: "p1cbp2cep3"
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct job *next;
    char id, kind, argument;
    int is_cancelled;
};

static struct job *jobs;

__attribute__((noinline)) static void cancel(char id)
{
    for (struct job **link = &jobs; *link; link = &(*link)->next) {
        struct job *job = *link;
        if (job->id != id)
            continue;
#ifdef FIXED
        job->is_cancelled = 1;
#else
        *link = job->next;
        free(job);
#endif
        return;
    }
}

static void run(void)
{
    for (struct job *job = jobs; job; job = job->next) { //~ HERE
        if (job->is_cancelled)
            continue;
        if (job->kind == 'p')
            printf("%c prints %c\n", job->id, job->argument);
        else if (job->kind == 'c')
            cancel(job->argument);
    }
}

static void read_jobs(void)
{
    char pair[2], id = 'a';
    struct job **end = &jobs;
    while (id <= 'h' && fread(pair, 1, 2, stdin) == 2) {
        struct job *job = calloc(1, sizeof *job);
        if (!job)
            exit(1);
        job->id = id++;
        job->kind = pair[0];
        job->argument = pair[1];
        *end = job;
        end = &job->next;
    }
}

int main(void)
{
    read_jobs();
    run();
    while (jobs) {
        struct job *next = jobs->next;
        free(jobs);
        jobs = next;
    }
    return 0;
}
