// Flexible array members: messages with a length from the input, copied into
// blocks on the heap, joined and compared.
//~ STDIN: "\x05hello\x03you\x00\x04last\x7f"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct message {
    uint8_t length;
    uint16_t sum;
    unsigned char text[];
};

static struct message *make(const unsigned char *p, uint8_t length)
{
    struct message *m = malloc(sizeof *m + length);
    if (!m)
        return NULL;
    m->length = length;
    m->sum = 0;
    for (unsigned i = 0; i < length; i++) {
        m->text[i] = p[i];
        m->sum = (uint16_t)(m->sum + p[i]);
    }
    return m;
}

static struct message *join(struct message *a, const struct message *b)
{
    struct message *m = realloc(a, sizeof *m + a->length + b->length);
    if (!m)
        return a;
    memcpy(m->text + m->length, b->text, b->length);
    m->length = (uint8_t)(m->length + b->length);
    m->sum = (uint16_t)(m->sum + b->sum);
    return m;
}

int main(void)
{
    unsigned char in[24] = {0};
    ssize_t n = read(0, in, sizeof in);
    if (n < 0)
        return 1;

    struct message *all = make(in, 0);
    unsigned count = 0;
    for (ssize_t at = 0; all && at < n; count++) {
        uint8_t length = in[at++];
        if (length > n - at) {
            puts("truncated");
            break;
        }
        struct message *m = make(in + at, length);
        if (!m)
            break;
        if (m->sum == 349)
            puts("you");
        if (length > 0 && m->text[length - 1] == 't')
            puts("ends in t");
        all = join(all, m);
        free(m);
        at += length;
    }
    if (!all)
        return 1;
    if (all->length == 12 && memcmp(all->text, "helloyou", 8) == 0)
        puts("joined");
    if (all->sum % 8 == 4)
        puts("sum");
    printf("%u %u %u\n", count, all->length, all->sum);
    free(all);
    return 0;
}
