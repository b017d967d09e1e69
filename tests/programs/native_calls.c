// Library functions without a model: what goes in is counted, the memory that
// they write loses its labels, their results are concrete. Locks beside
// symbolic fields and strings with symbolic bytes behind their ends are no loss.
//~ STDIN: "native.calls.count"
//~ LOSES: sysconf
//~ LOSES: swab
//~ LOSES: overwritten by the function called
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct guarded {
    pthread_mutex_t mutex;
    unsigned char bytes[18];
};

int main(void)
{
    static struct guarded data = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    if (read(0, data.bytes, sizeof data.bytes) < 0)
        return 1;
    pthread_mutex_lock(&data.mutex);
    if (data.bytes[0] == 'n')
        puts("n");
    pthread_mutex_unlock(&data.mutex);

    char name[18] = "HOME";
    for (int i = 5; i < 18; i++)
        name[i] = (char)data.bytes[i];
    if (getenv(name) && data.bytes[1] == 'a')
        puts("home");

    if (sysconf(data.bytes[2]) == 1)
        puts("one");

    char swapped[18];
    for (int i = 0; i < 18; i++)
        swapped[i] = (char)data.bytes[i];
    swab(swapped, swapped, 4);
    if (swapped[0] == 'a' && swapped[4] == 'v')
        puts("swapped");
    return 0;
}
