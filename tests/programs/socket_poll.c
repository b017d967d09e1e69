// An event loop: poll, accept and recv without blocking. It ends when no peer is left.
//~ SOCKET: "hello"
//~ SOCKET: "+1"
//~ PRINTS: "h greeting\n+ plus 1\n"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void handle(int fd)
{
    char text[8];
    struct iovec parts[2] = {{text, 1}, {text + 1, 7}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t n = recvmsg(fd, &message, 0);
    if (n < 1)
        return;
    putchar(text[0]);
    if (text[0] == 'h' && n > 4 && text[4] == 'o')
        puts(" greeting");
    else if (text[0] == '+' && n > 1)
        printf(" plus %c\n", text[1]);
    else
        puts(" else");
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(6000)};
    struct pollfd fds[8] = {{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), POLLIN, 0}};
    int n = 1;
    if (bind(fds[0].fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fds[0].fd, 5) != 0)
        return 1;
    while (poll(fds, n, -1) > 0) {
        if (fds[0].revents & POLLIN && n < 8) {
            fds[n] = (struct pollfd){accept(fds[0].fd, NULL, NULL), POLLIN, 0};
            n += fds[n].fd >= 0;
        }
        for (int i = 1; i < n; i++)
            if (fds[i].revents & POLLIN) {
                handle(fds[i].fd);
                close(fds[i].fd);
                fds[i--] = fds[--n];
            }
    }
    return 1;
}
