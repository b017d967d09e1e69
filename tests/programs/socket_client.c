// A client: connects, asks, and reads the answer through stdio; waits with select.
//~ SOCKET 8080: "HTTP/1.0 200 OK\r\nLength: 3\r\n\r\nabc"
//~ PRINTS: "status 200\nlength 3\nbody abc\n"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080)}, peer;
    inet_pton(AF_INET, "192.0.2.1", &at.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t len = sizeof peer;
    if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0 || getpeername(fd, (struct sockaddr *)&peer, &len) != 0)
        return 1;
    const char *request = "GET / HTTP/1.0\r\n\r\n";
    if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
        return 2;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    if (select(fd + 1, &set, NULL, NULL, NULL) != 1)
        return 3;
    FILE *in = fdopen(fd, "r");
    char line[80];
    int size = 0;
    if (!fgets(line, sizeof line, in) || strncmp(line, "HTTP/1.", 7) != 0)
        return 4;
    if (line[9] >= '0' && line[9] <= '9')
        printf("status %c%c%c\n", line[9], line[10], line[11]);
    while (fgets(line, sizeof line, in) && line[0] != '\r')
        if (strncmp(line, "Length: ", 8) == 0)
            size = line[8] - '0';
    printf("length %d\n", size);
    if (size > 0 && size < 10 && fread(line, 1, size, in) == (size_t)size)
        printf("body %.*s\n", size, line);
    return 0;
}
