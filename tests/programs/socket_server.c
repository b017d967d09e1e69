// A server that takes commands over TCP, line by line, with recv.
//~ SOCKET: "PUT k=v\nGET k\nQUIT\n"
//~ SOCKET 7000: "\x02\x05xy"
//~ PRINTS: "put k\nget found\nquit\nbinary 2\n"
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char key, value;

static int command(const char *line, int fd)
{
    if (strncmp(line, "PUT ", 4) == 0 && line[5] == '=') {
        key = line[4];
        value = line[6];
        printf("put %c\n", key);
        send(fd, "ok\n", 3, MSG_NOSIGNAL);
    } else if (strncmp(line, "GET ", 4) == 0) {
        puts(line[4] == key ? "get found" : "get nothing");
        write(fd, &value, 1);
    } else if (strcmp(line, "QUIT") == 0) {
        puts("quit");
        return 1;
    } else {
        puts("what?");
    }
    return 0;
}

static void lines(int fd)
{
    char line[64];
    int len = 0;
    char c;
    while (recv(fd, &c, 1, 0) == 1) {
        if (c == '\n') {
            line[len] = 0;
            if (command(line, fd))
                break;
            len = 0;
        } else if (len < 63) {
            line[len++] = c;
        }
    }
}

static void binary(int fd)
{
    unsigned char head[2];
    if (read(fd, head, 2) == 2 && head[0] == 2 && head[1] < 10)
        printf("binary %d\n", head[0]);
    else
        puts("bad");
}

static int server(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 5) != 0) {
        puts("cannot listen");
        return -1;
    }
    return fd;
}

int main(void)
{
    int first = server(6000), second = server(7000);
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    int fd = accept(first, (struct sockaddr *)&from, &len), one = 1;
    if (fd < 0 || from.sin_family != AF_INET || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0)
        return 1;
    lines(fd);
    shutdown(fd, SHUT_RDWR);
    close(fd);
    fd = accept4(second, NULL, NULL, SOCK_CLOEXEC);
    binary(fd);
    close(fd);
    return 0;
}
