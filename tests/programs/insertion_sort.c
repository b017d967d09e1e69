// Sorting input bytes with own code: insertion sort of 16-bit keys, then a
// binary search, a merge and the median.
//~ STDIN: "\x39\x05\x01\x00\xff\x00\x10\x27\x02\x00\x64\x00"
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static void sort(uint16_t *a, int n)
{
    for (int i = 1; i < n; i++) {
        uint16_t v = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

static int search(const uint16_t *a, int n, uint16_t wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] == wanted)
            return middle;
        if (a[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static void merge(const uint16_t *a, const uint16_t *b, uint16_t *to, int n)
{
    int i = 0, j = 0;
    for (int k = 0; k < 2 * n; k++)
        to[k] = j == n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

int main(void)
{
    static const uint16_t fixed[6] = {3, 50, 100, 1000, 5000, 60000};
    uint16_t a[6] = {0}, merged[12];
    if (read(0, a, sizeof a) < 0)
        return 1;
    sort(a, 6);
    if (a[0] == 1 && a[5] == 10000)
        puts("extremes");
    int at = search(a, 6, 1337);
    if (at >= 0)
        printf("1337 at %d\n", at);
    if (search(a, 6, 4242) == 3)
        puts("4242 in the middle");
    merge(a, fixed, merged, 6);
    unsigned repeats = 0;
    for (int i = 1; i < 12; i++)
        repeats += merged[i] == merged[i - 1];
    if (repeats > 1)
        puts("repeats");
    if (merged[6] > 200)
        puts("median");
    printf("%u %u\n", repeats, merged[6] % 10);
    return 0;
}
