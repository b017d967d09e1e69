// UDP: a server that answers requests, until none comes.
//~ SOCKET 5353: "\x01\x03abc\x02\x00\x07"
//~ PRINTS: "name of 3\nping\nunknown 7\n"
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5353)}, from;
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        return 1;
    for (;;) {
        unsigned char type, rest[255];
        socklen_t len = sizeof from;
        if (recvfrom(fd, &type, 1, 0, (struct sockaddr *)&from, &len) != 1)
            return 2;
        if (type == 1) {
            unsigned char size;
            if (recv(fd, &size, 1, 0) != 1 || recv(fd, rest, size, 0) != size)
                return 3;
            printf("name of %d\n", size);
        } else if (type == 2) {
            puts("ping");
            recv(fd, rest, 1, 0);
        } else {
            printf("unknown %d\n", type);
        }
        sendto(fd, &type, 1, 0, (struct sockaddr *)&from, len);
    }
}
