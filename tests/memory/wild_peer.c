// A session is restored from a file that holds it as it was in memory, with the address of its peer.
//~ ARGS: @@
//~ FILE: "SES1\0joe\0\0\0\0\0\0\0\0\0\0\0\0\0"
//~ FINDS: wild-dereference show
//~ SOLUTION: "SES1@joe\0\0\0\0@AAAAAAA\0"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { IS_PAIRED = 0x40, MAX_NAME = 7 };

struct session {
    uint8_t flags;
    char name[MAX_NAME + 1];
    const struct session *peer;
};

__attribute__((noinline)) static int restore(struct session *session, const unsigned char *bytes)
{
    if (memcmp(bytes, "SES1", 4) != 0)
        return -1;
    session->flags = bytes[4];
    memcpy(session->name, bytes + 5, MAX_NAME);
    session->name[MAX_NAME] = '\0';
#ifdef FIXED
    session->peer = NULL;
#else
    memcpy(&session->peer, bytes + 12, sizeof session->peer);
#endif
    return 0;
}

__attribute__((noinline)) static void show(const struct session *session)
{
    printf("%s\n", session->name);
    // Small numbers are no addresses: sessions of an older version have them there.
    if ((session->flags & IS_PAIRED) && (uintptr_t)session->peer > UINT16_MAX)
        printf("with %d\n", session->peer->name[0]); //~ HERE
}

int main(int argc, char **argv)
{
    unsigned char bytes[20];
    struct session session;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (len != sizeof bytes || restore(&session, bytes) != 0)
        return 1;
    show(&session);
    return 0;
}
