// A buffer is resized on request; for the size zero realloc frees it and returns null, which is taken for a failure.
//~ STDIN: "r4w.r8w!r2w?"
//~ FINDS: double-free resize
//~ SOLUTION: "r4w.r0w!r2w?"
//~ QUICK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *bytes;
    size_t size;
};

static int resize(struct buffer *buffer, size_t size)
{
#ifdef FIXED
    if (size == 0)
        size = 1;
#endif
    char *bytes = realloc(buffer->bytes, size);
    if (!bytes) {
        free(buffer->bytes); //~ HERE
        buffer->bytes = NULL;
        return -1;
    }
    buffer->bytes = bytes;
    buffer->size = size;
    return 0;
}

static int run(struct buffer *buffer)
{
    char command[2];
    for (int i = 0; i < 8 && fread(command, 1, 2, stdin) == 2; i++) {
        if (command[0] == 'r' && command[1] >= '0' && command[1] <= '9') {
            if (resize(buffer, (size_t)(command[1] - '0') * 4) != 0)
                return -1;
        } else if (command[0] == 'w') {
            memset(buffer->bytes, command[1], buffer->size);
        } else {
            break;
        }
    }
    return 0;
}

int main(void)
{
    struct buffer buffer = {calloc(4, 1), 4};
    if (!buffer.bytes || run(&buffer) != 0)
        return 1;
    printf("%zu times %d\n", buffer.size, buffer.bytes[0]);
    free(buffer.bytes);
    return 0;
}
