// Two runs of a picture are unpacked into one block, whose size is summed up in sixteen bits.
//~ STDIN: "RL\x00\x20a\x00\x10b"
//~ FINDS: allocation-overflow unpack
//~ SOLUTION: "RL\xff\x20a\x01\x10b"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    uint16_t len;
    char fill;
};

static struct run read_run(const unsigned char *bytes)
{
    return (struct run){(uint16_t)(bytes[0] << 8 | bytes[1]), (char)bytes[2]};
}

static char *unpack(const struct run *first, const struct run *second)
{
#ifdef FIXED
    size_t size = (size_t)first->len + second->len + 1;
#else
    uint16_t size = (uint16_t)(first->len + second->len + 1);
#endif
    char *picture = malloc(size); //~ HERE
    if (!picture)
        return NULL;
    memset(picture, first->fill, first->len);
    memset(picture + first->len, second->fill, second->len);
    picture[first->len + second->len] = '\0';
    return picture;
}

int main(void)
{
    unsigned char bytes[8];
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes || bytes[0] != 'R' || bytes[1] != 'L')
        return 1;
    struct run first = read_run(bytes + 2), second = read_run(bytes + 5);
    if (first.len == 0 || second.len == 0)
        return 1;
    char *picture = unpack(&first, &second);
    if (!picture)
        return 1;
    printf("%d..%d\n", picture[0], picture[first.len + second.len - 1]);
    free(picture);
    return 0;
}
