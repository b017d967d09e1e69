// Copies: of memory, overlapping or not, and of strings.
#include "model.h"

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
void __explicit_bzero_chk(void *, size_t, size_t);
void *__mempcpy(void *, const void *, size_t);
char *__stpcpy(char *, const char *);
char *__stpncpy(char *, const char *, size_t);
char *__strdup(const char *);
char *__strndup(const char *, size_t);

#define ROOM_LEFT 64

#define COPY(name, ...)                                                      \
    CASES(name, BYTES, 33)                                                   \
    {                                                                        \
        char *from = bytes(0, in, 32), *to = room(1);                        \
        if (pick(3) == 0)                                                    \
            to = bytes(1, in + 16, 16);                                      \
        see_place(name(to, from, size_below(32, in + 32) __VA_ARGS__), to);  \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY(memcpy)
COPY(mempcpy)
COPY(__mempcpy)
COPY(__memcpy_chk, , ROOM_LEFT)
COPY(__mempcpy_chk, , ROOM_LEFT)

#define MOVE(name, ...)                                                      \
    CASES(name, BYTES, 33)                                                   \
    {                                                                        \
        char *base = bytes(0, in, 32);                                       \
        char *from = base + pick(17), *to = base + pick(17);                 \
        see_place(name(to, from, size_below(16, in + 32) __VA_ARGS__), base); \
        see_buffer(0);                                                       \
    }
MOVE(memmove)
MOVE(__memmove_chk, , ROOM_LEFT)

CASES(bcopy, BYTES, 33)
{
    char *base = bytes(0, in, 32);
    bcopy(base + pick(17), base + pick(17), size_below(16, in + 32));
    see_buffer(0);
}

#define FILL(name, ...)                                                      \
    CASES(name, BYTES, 20)                                                   \
    {                                                                        \
        char *to = bytes(0, in, 16);                                         \
        int c = pick(3) ? in[16] | in[17] << 8 : (int)pick(300);             \
        see_place(name(to, c, size_below(16, in + 18) __VA_ARGS__), to);     \
        see_buffer(0);                                                       \
    }
FILL(memset)
FILL(__memset_chk, , ROOM_LEFT)

#define CLEAR(name, ...)                                                     \
    CASES(name, BYTES, 17)                                                   \
    {                                                                        \
        name(bytes(0, in, 16), size_below(16, in + 16) __VA_ARGS__);         \
        see_buffer(0);                                                       \
    }
CLEAR(bzero)
CLEAR(explicit_bzero)
CLEAR(__explicit_bzero_chk, , ROOM_LEFT)

CASES(memccpy, TEXT, 26)
{
    char *from = bytes(0, in, 24), *to = room(1);
    see_place(memccpy(to, from, pick(2) ? in[24] : 'b', size_below(16, in + 25)), to);
    see_buffer(1);
}

#define COPY_STRING(name, ...)                                               \
    CASES(name, TEXT, 24)                                                    \
    {                                                                        \
        char *from = text(0, in, pick(17)), *to = room(1);                   \
        if (pick(3) == 0)                                                    \
            to = text(1, in + 16, 8);                                        \
        see_place(name(to, from __VA_ARGS__), to);                           \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY_STRING(strcpy)
COPY_STRING(stpcpy)
COPY_STRING(__stpcpy)
COPY_STRING(__strcpy_chk, , ROOM_LEFT)
COPY_STRING(__stpcpy_chk, , ROOM_LEFT)

#define COPY_PREFIX(name, ...)                                               \
    CASES(name, TEXT, 25)                                                    \
    {                                                                        \
        char *from = text(0, in, pick(17)), *to = room(1);                   \
        if (pick(3) == 0)                                                    \
            to = text(1, in + 16, 8);                                        \
        see_place(name(to, from, size_below(32, in + 24) __VA_ARGS__), to);  \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
COPY_PREFIX(strncpy)
COPY_PREFIX(stpncpy)
COPY_PREFIX(__stpncpy)
COPY_PREFIX(__strncpy_chk, , ROOM_LEFT)
COPY_PREFIX(__stpncpy_chk, , ROOM_LEFT)

#define APPEND(name, ...)                                                    \
    CASES(name, TEXT, 24)                                                    \
    {                                                                        \
        char *from = text(0, in, pick(17)), *to = text(1, in + 16, pick(9)); \
        see_place(name(to, from __VA_ARGS__), to);                           \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
APPEND(strcat)
APPEND(__strcat_chk, , ROOM_LEFT)

#define APPEND_PREFIX(name, ...)                                             \
    CASES(name, TEXT, 25)                                                    \
    {                                                                        \
        char *from = text(0, in, pick(17)), *to = text(1, in + 16, pick(9)); \
        see_place(name(to, from, size_below(32, in + 24) __VA_ARGS__), to);  \
        see_buffer(0);                                                       \
        see_buffer(1);                                                       \
    }
APPEND_PREFIX(strncat)
APPEND_PREFIX(__strncat_chk, , ROOM_LEFT)

CASES(strxfrm, TEXT, 17)
{
    char *from = text(0, in, pick(17)), *to = room(1);
    see_number(strxfrm(to, from, size_below(32, in + 16)));
    see_buffer(1);
}

#define DUPLICATE(name)                                                      \
    CASES(name, TEXT, 16)                                                    \
    {                                                                        \
        char *copy = name(text(0, in, pick(17)));                            \
        see_string(copy);                                                    \
        free(copy);                                                          \
        see_buffer(0);                                                       \
    }
DUPLICATE(strdup)
DUPLICATE(__strdup)

#define DUPLICATE_PREFIX(name)                                               \
    CASES(name, TEXT, 17)                                                    \
    {                                                                        \
        char *copy = name(text(0, in, pick(17)), size_below(16, in + 16));   \
        see_string(copy);                                                    \
        free(copy);                                                          \
        see_buffer(0);                                                       \
    }
DUPLICATE_PREFIX(strndup)
DUPLICATE_PREFIX(__strndup)
