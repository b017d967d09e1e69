// Every kind of input in one run: standard input, files by argument and by path, an argument, the environment, a peer,
// a mapping, memory made symbolic.
//~ STDIN: "a"
//~ ARGS: "b" @@ @other@
//~ SYMBOLIC-ARGS
//~ FILE: "c"
//~ FILE other: "d"
//~ OPEN own.txt: "e"
//~ ENV LETTER: "f"
//~ SOCKET: "g"
//~ PRINTS: "abcdefgh\n"
#include <arpa/inet.h>
#include <fcntl.h>
#include <gimlet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char letters[9] = {0};
    letters[0] = (char)getchar();
    letters[1] = argv[1][0];
    int fd = open(argv[2], O_RDONLY);
    if (argc != 4 || read(fd, letters + 2, 1) != 1)
        return 1;
    const char *map = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, open(argv[3], O_RDONLY), 0);
    letters[3] = map[0];
    FILE *f = fopen("own.txt", "r");
    letters[4] = f ? (char)getc(f) : '?';
    letters[5] = getenv("LETTER")[0];
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(99)};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&at, sizeof at) != 0 || listen(server, 1) != 0)
        return 2;
    if (recv(accept(server, NULL, NULL), letters + 6, 1, MSG_WAITALL) != 1)
        return 3;
    letters[7] = 'h';
    gimlet_symbolic(&letters[7], 1, "own");
    int n_right = 0;
    for (int i = 0; i < 8; i++)
        n_right += letters[i] == 'a' + i;
    if (letters[6] == letters[0])
        puts("peer and standard input agree");
    if (letters[5] == letters[3])
        puts("environment and mapping agree");
    if (n_right == 8)
        puts(letters);
    return 0;
}
