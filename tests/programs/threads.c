// Threads: each works on its own part of the input, they meet in data behind
// a mutex, and a second round hands values from one to the other.
//~ STDIN: "first partSecondPartthird PARTfourth par"
//~ FLAGS: -lpthread
//~ THREADS
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, PART = 10 };

struct job {
    const unsigned char *bytes;
    unsigned capitals;
    unsigned sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned histogram[4];
static unsigned checksum;

static void *work(void *argument)
{
    struct job *job = argument;
    for (int i = 0; i < PART; i++) {
        unsigned char c = job->bytes[i];
        if (c >= 'A' && c <= 'Z')
            job->capitals++;
        job->sum += c;
        pthread_mutex_lock(&lock);
        histogram[c >> 6]++;
        checksum += c * (i + 1u);
        pthread_mutex_unlock(&lock);
    }
    return job->sum % 2 ? job : NULL;
}

static void *double_sum(void *argument)
{
    struct job *job = argument;
    if (job->sum > 950)
        job->sum -= 950;
    job->sum *= 2;
    return NULL;
}

int main(void)
{
    static unsigned char in[THREADS * PART];
    static struct job jobs[THREADS];
    pthread_t threads[THREADS];
    if (read(0, in, sizeof in) < 0)
        return 1;

    unsigned odd = 0, capitals = 0, total = 0;
    for (int i = 0; i < THREADS; i++) {
        jobs[i].bytes = in + i * PART;
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        odd += result != NULL;
        capitals += jobs[i].capitals;
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, double_sum, &jobs[i]) != 0)
            return 1;
        pthread_join(threads[i], NULL);
        total += jobs[i].sum;
    }
    if (odd == 3)
        puts("three odd parts");
    if (capitals == 6)
        puts("six capitals");
    if (checksum % 32 == 15)
        puts("checksum");
    if (histogram[0] == 2 && histogram[3] == 0)
        puts("two blanks");
    printf("%u %u %u %u\n", odd, capitals, checksum, total);
    return 0;
}
