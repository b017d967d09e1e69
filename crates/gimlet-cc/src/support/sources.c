/* What a twin needs to read input from other places than it would.
 *
 * The link of a program's twin has --wrap=NAME for the functions here that the
 * program calls and does not define. References to those of the library are
 * weak, because not all of them are wrapped. Without GIMLET_PLAIN_SOURCES they
 * are all that is called.
 *
 * Replay: GIMLET_PLAIN_SOURCES names a file.
 *
 *     "GIMLETPS"                                          8 bytes
 *     then for each source:
 *     u32 kind, u32 port, u32 length of the name, u32 length of the data
 *     the name, the data                                  all little-endian
 *
 * Kind 6: the program opens the name, an absolute path without "." and "..",
 * and is to get the file whose path is the data. Kind 8: the data is what a
 * peer sends, on the next connection at that port, or at any if it is 0.
 *
 * Sockets are as in the instrumented build (connections.rs of the runtime):
 * one end of a pair of local sockets each, whose other end is fed here.
 */
#define _GNU_SOURCE
#include "own.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define PATH 6
#define SOCKET 8
#define MAX_SOURCES 1024
#define MAX_LISTENERS 32
#define HIGH_DESCRIPTOR 300
#define PEER_PORT 40000
#define PATIENCE_MS 1000

struct source {
    uint32_t kind, port;
    const char *name;
    size_t name_len;
    const unsigned char *data;
    size_t len;
    /* A socket that has it: its inode, family and port, our end, how much that was given. */
    ino_t inode;
    int family, local_port, is_datagram, peer, is_closed;
    size_t fed;
};

/* A bound socket; once it listens, with our copy of its descriptor and the other end. */
struct listener {
    ino_t inode;
    int family, port, own, peer;
};

static struct source sources[MAX_SOURCES];
static size_t n_sources;
static struct listener listeners[MAX_LISTENERS];
static size_t n_listeners;
static int is_loaded;

static void die(const char *what, const char *path)
{
    own_complain(path, what);
    own_exit(2);
}

static void load(void)
{
    is_loaded = 1;
    const char *path = own_getenv("GIMLET_PLAIN_SOURCES");
    if (!path)
        return;
    struct stat stat;
    int fd = own_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0 || own_fstat(fd, &stat) != 0)
        die("can't be opened", path);
    size_t len = stat.st_size;
    unsigned char *bytes = own_map(NULL, len ? len : 1, MAP_PRIVATE, fd, 0);
    own_close(fd);
    if (!bytes || len < 8 || !own_is_equal(bytes, "GIMLETPS", 8))
        die("not a file of sources", path);
    for (size_t at = 8; at < len;) {
        uint32_t head[4];
        if (len - at < sizeof head || n_sources == MAX_SOURCES)
            die("truncated or too many sources", path);
        own_copy(head, bytes + at, sizeof head);
        at += sizeof head;
        if ((uint64_t)head[2] + head[3] > len - at)
            die("truncated", path);
        sources[n_sources++] = (struct source){.kind = head[0],
                                               .port = head[1],
                                               .name = (const char *)bytes + at,
                                               .name_len = head[2],
                                               .data = bytes + at + head[2],
                                               .len = head[3],
                                               .peer = -1};
        at += (size_t)head[2] + head[3];
    }
}

static size_t count_sources(uint32_t kind)
{
    size_t n = 0;
    if (!is_loaded)
        load();
    for (size_t i = 0; i < n_sources; i++)
        n += sources[i].kind == kind;
    return n;
}

/* Files by path. */

static int push_parts(char *out, size_t *len, const char *path)
{
    while (*path) {
        size_t n = 0;
        while (path[n] && path[n] != '/')
            n++;
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            while (*len > 0 && out[--*len] != '/')
                ;
        } else if (n > 0 && !(n == 1 && path[0] == '.')) {
            if (*len + 1 + n >= PATH_MAX)
                return 0;
            out[(*len)++] = '/';
            own_copy(out + *len, path, n);
            *len += n;
        }
        path += n + (path[n] == '/');
    }
    return 1;
}

/* The path that the call is to use. */
static const char *resolve(int directory, const char *path)
{
    static __thread char found[PATH_MAX];
    if (!path || count_sources(PATH) == 0)
        return path;
    char link[32], start[PATH_MAX], absolute[PATH_MAX];
    size_t len = 0;
    if (path[0] != '/') {
        size_t end = own_append(link, sizeof link, 0, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/");
        if (directory != AT_FDCWD)
            own_append_number(link, sizeof link, end, directory);
        long n = OWN_CALL(SYS_readlink, link, start, sizeof start - 1, 0, 0, 0);
        if (n < 0)
            return path;
        start[n] = 0;
        if (!push_parts(absolute, &len, start))
            return path;
    }
    if (!push_parts(absolute, &len, path))
        return path;
    for (size_t i = 0; i < n_sources; i++) {
        struct source *source = &sources[i];
        if (source->kind == PATH && source->name_len == len && own_is_equal(source->name, absolute, len) &&
            source->len < sizeof found) {
            own_copy(found, source->data, source->len);
            found[source->len] = 0;
            return found;
        }
    }
    return path;
}

#define OPEN(name)                                             \
    WEAK int __real_##name(const char *path, int flags, ...);       \
    HIDDEN int __wrap_##name(const char *path, int flags, ...)        \
    {                                                          \
        va_list list;                                          \
        va_start(list, flags);                                 \
        mode_t mode = va_arg(list, mode_t);                    \
        va_end(list);                                          \
        return __real_##name(resolve(AT_FDCWD, path), flags, mode); \
    }
#define OPENAT(name)                                                       \
    WEAK int __real_##name(int directory, const char *path, int flags, ...);    \
    HIDDEN int __wrap_##name(int directory, const char *path, int flags, ...)     \
    {                                                                      \
        va_list list;                                                      \
        va_start(list, flags);                                             \
        mode_t mode = va_arg(list, mode_t);                                \
        va_end(list);                                                      \
        return __real_##name(directory, resolve(directory, path), flags, mode); \
    }
#define FOPEN(name)                                                \
    WEAK FILE *__real_##name(const char *path, const char *mode);       \
    HIDDEN FILE *__wrap_##name(const char *path, const char *mode)        \
    {                                                              \
        return __real_##name(resolve(AT_FDCWD, path), mode);       \
    }
#define FREOPEN(name)                                                        \
    WEAK FILE *__real_##name(const char *path, const char *mode, FILE *file);     \
    HIDDEN FILE *__wrap_##name(const char *path, const char *mode, FILE *file)      \
    {                                                                        \
        return __real_##name(resolve(AT_FDCWD, path), mode, file);           \
    }
#define STAT(name)                                         \
    WEAK int __real_##name(const char *path, void *out);        \
    HIDDEN int __wrap_##name(const char *path, void *out)         \
    {                                                      \
        return __real_##name(resolve(AT_FDCWD, path), out); \
    }
#define FSTATAT(name)                                                          \
    WEAK int __real_##name(int directory, const char *path, void *out, int flags);  \
    HIDDEN int __wrap_##name(int directory, const char *path, void *out, int flags)   \
    {                                                                          \
        return __real_##name(directory, resolve(directory, path), out, flags); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)
STAT(stat)
STAT(stat64)
STAT(lstat)
STAT(lstat64)
FSTATAT(fstatat)
FSTATAT(fstatat64)
WEAK int __real_access(const char *path, int mode);
HIDDEN int __wrap_access(const char *path, int mode)
{
    return __real_access(resolve(AT_FDCWD, path), mode);
}
WEAK int __real_faccessat(int directory, const char *path, int mode, int flags);
HIDDEN int __wrap_faccessat(int directory, const char *path, int mode, int flags)
{
    return __real_faccessat(directory, resolve(directory, path), mode, flags);
}

/* Sockets. */

static ssize_t raw_send(int fd, const void *from, size_t n)
{
    return OWN_CALL(SYS_sendto, fd, from, n, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}

static ssize_t raw_recv(int fd, void *to, size_t n)
{
    return OWN_CALL(SYS_recvfrom, fd, to, n, MSG_DONTWAIT, NULL, NULL);
}

static int raw_poll(int fd, int events, int timeout_ms)
{
    struct pollfd request = {fd, events, 0};
    return OWN_CALL(SYS_poll, &request, 1, timeout_ms, 0, 0, 0);
}

static ino_t inode_of(int fd)
{
    struct stat stat;
    return own_fstat(fd, &stat) == 0 ? stat.st_ino : 0;
}

static struct listener *find_listener(int fd)
{
    ino_t inode = n_listeners ? inode_of(fd) : 0;
    for (size_t i = 0; inode && i < n_listeners; i++)
        if (listeners[i].inode == inode)
            return &listeners[i];
    return NULL;
}

static struct source *find_connection(int fd)
{
    ino_t inode = count_sources(SOCKET) ? inode_of(fd) : 0;
    for (size_t i = 0; inode && i < n_sources; i++)
        if (sources[i].kind == SOCKET && sources[i].inode == inode)
            return &sources[i];
    return NULL;
}

static struct source *next_source(int port)
{
    if (count_sources(SOCKET))
        for (size_t i = 0; i < n_sources; i++)
            if (sources[i].kind == SOCKET && !sources[i].inode && (!sources[i].port || (int)sources[i].port == port))
                return &sources[i];
    return NULL;
}

static int control(int fd, int command, long argument)
{
    return OWN_CALL(SYS_fcntl, fd, command, argument, 0, 0, 0);
}

static int is_nonblocking(int fd)
{
    int status = control(fd, F_GETFL, 0);
    return status >= 0 && status & O_NONBLOCK;
}

static int make_pair(int ends[2])
{
    long got = OWN_CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends, 0, 0);
    if (got != 0) {
        errno = -got;
        return 0;
    }
    int high = control(ends[1], F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0) {
        own_close(ends[1]);
        ends[1] = high;
    }
    return 1;
}

static void replace(int fd, int end)
{
    int status = control(fd, F_GETFL, 0), closing = control(fd, F_GETFD, 0);
    OWN_CALL(SYS_dup3, end, fd, closing & FD_CLOEXEC ? O_CLOEXEC : 0, 0, 0, 0);
    control(fd, F_SETFL, status & O_NONBLOCK);
    own_close(end);
}

/* Gives the other end as much as it takes, and takes back what the program sent. */
static void feed(struct source *source)
{
    char sent[4096];
    while (source->fed < source->len) {
        ssize_t n = raw_send(source->peer, source->data + source->fed, source->len - source->fed);
        if (n <= 0)
            break;
        source->fed += n;
    }
    if (source->fed == source->len && !source->is_datagram && !source->is_closed) {
        source->is_closed = 1;
        OWN_CALL(SYS_shutdown, source->peer, SHUT_WR, 0, 0, 0, 0);
    }
    while (raw_recv(source->peer, sent, sizeof sent) > 0)
        ;
}

static void settle_listeners(void)
{
    char byte;
    for (size_t i = 0; i < n_listeners; i++)
        if (listeners[i].own >= 0 && !next_source(listeners[i].port))
            raw_recv(listeners[i].own, &byte, 1);
}

static int connect_source(struct source *source, int family, int port, int is_datagram)
{
    int ends[2];
    if (!make_pair(ends))
        return -1;
    source->inode = inode_of(ends[0]);
    source->family = family;
    source->local_port = port;
    source->is_datagram = is_datagram;
    source->peer = ends[1];
    feed(source);
    settle_listeners();
    return ends[0];
}

static int connect_to(int fd, struct source *source, int family, int port, int is_datagram)
{
    int end = connect_source(source, family, port, is_datagram);
    if (end >= 0)
        replace(fd, end);
    return end >= 0;
}

static int is_datagram_socket(int fd)
{
    int kind = 0;
    socklen_t len = sizeof kind;
    OWN_CALL(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &kind, &len, 0);
    return kind == SOCK_DGRAM;
}

/* Family and port of an address; 0 for families that are no network of ours. */
static int read_address(const struct sockaddr *address, socklen_t len, int *port)
{
    if (!address || len < 2)
        return 0;
    *port = 0;
    if ((address->sa_family == AF_INET || address->sa_family == AF_INET6) && len >= 4)
        *port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    else if (address->sa_family != AF_UNIX)
        return 0;
    return address->sa_family;
}

static void write_address(int family, int port, void *address, socklen_t *len)
{
    struct sockaddr_in6 out;
    socklen_t size = 2;
    if (!address || !len)
        return;
    own_zero(&out, sizeof out);
    out.sin6_family = family;
    out.sin6_port = htons(port);
    if (family == AF_INET) {
        ((struct sockaddr_in *)&out)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        size = sizeof(struct sockaddr_in);
    } else if (family == AF_INET6) {
        out.sin6_addr.s6_addr[15] = 1;
        size = sizeof out;
    }
    own_copy(address, &out, size < *len ? size : *len);
    *len = size;
}

/* A program that waits for a peer that is not there ends; other threads and children get time to finish theirs. */
static void starve(void)
{
    extern char __libc_single_threaded;
    if (!__libc_single_threaded || OWN_CALL(SYS_waitid, P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT, NULL, 0) == 0)
        for (size_t i = 0; i < n_sources; i++)
            if (sources[i].peer >= 0)
                raw_poll(sources[i].peer, 0, PATIENCE_MS);
    /* Handlers run, streams are flushed. A static program has no library but what it is linked with. */
    extern WEAK void exit(int status);
    void (*leave)(int) = (void (*)(int))gimlet_own_find("exit");
    (leave ? leave : exit)(0);
    own_exit(0);
}

/* True, with errno set, if a read is to fail because nothing is there and it does not wait. */
static int is_dry(int fd, int flags)
{
    struct source *source = find_connection(fd);
    int unread = 0;
    if (!source)
        return 0;
    feed(source);
    OWN_CALL(SYS_ioctl, fd, FIONREAD, &unread, 0, 0, 0);
    if (!source->is_datagram || source->fed < source->len || unread > 0)
        return 0;
    if (!(flags & MSG_DONTWAIT) && !is_nonblocking(fd))
        starve();
    errno = EAGAIN;
    return 1;
}

/* Waits: connections are fed first. True if the program would wait for ever unless something is ready. */
static int may_starve(int is_forever)
{
    extern char __libc_single_threaded;
    if (!count_sources(SOCKET))
        return 0;
    for (size_t i = 0; i < n_sources; i++) {
        if (sources[i].kind == SOCKET && !sources[i].inode)
            is_forever = 0;
        else if (sources[i].kind == SOCKET)
            feed(&sources[i]);
    }
    return is_forever && __libc_single_threaded;
}

WEAK int __real_bind(int fd, const struct sockaddr *address, socklen_t len);
HIDDEN int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len)
{
    int port, family = count_sources(SOCKET) ? read_address(address, len, &port) : 0;
    struct source *source = family ? next_source(port) : NULL;
    if (source && is_datagram_socket(fd) && connect_to(fd, source, family, port, 1))
        return 0;
    if (source && !is_datagram_socket(fd) && n_listeners < MAX_LISTENERS) {
        listeners[n_listeners++] = (struct listener){inode_of(fd), family, port, -1, -1};
        return 0;
    }
    return __real_bind(fd, address, len);
}

WEAK int __real_listen(int fd, int backlog);
HIDDEN int __wrap_listen(int fd, int backlog)
{
    struct listener *listener = find_listener(fd);
    int ends[2];
    if (!listener)
        return __real_listen(fd, backlog);
    if (listener->own >= 0)
        return 0;
    if (!make_pair(ends))
        return -1;
    listener->own = control(ends[0], F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    listener->peer = ends[1];
    replace(fd, ends[0]);
    listener->inode = inode_of(fd);
    if (next_source(listener->port))
        raw_send(listener->peer, "!", 1);
    return 0;
}

/* -2 if the socket is none of ours. */
static int accept_source(int fd, void *address, socklen_t *len, int flags)
{
    struct listener *listener = find_listener(fd);
    if (!listener)
        return -2;
    struct source *source = next_source(listener->port);
    if (!source) {
        if (!is_nonblocking(fd))
            starve();
        errno = EAGAIN;
        return -1;
    }
    int end = connect_source(source, listener->family, listener->port, 0);
    if (end >= 0 && !(flags & SOCK_CLOEXEC))
        control(end, F_SETFD, 0);
    if (end >= 0 && flags & SOCK_NONBLOCK)
        control(end, F_SETFL, O_NONBLOCK);
    write_address(listener->family, PEER_PORT, address, len);
    return end;
}

WEAK int __real_accept(int fd, void *address, socklen_t *len);
HIDDEN int __wrap_accept(int fd, void *address, socklen_t *len)
{
    int end = accept_source(fd, address, len, 0);
    return end == -2 ? __real_accept(fd, address, len) : end;
}

WEAK int __real_accept4(int fd, void *address, socklen_t *len, int flags);
HIDDEN int __wrap_accept4(int fd, void *address, socklen_t *len, int flags)
{
    int end = accept_source(fd, address, len, flags);
    return end == -2 ? __real_accept4(fd, address, len, flags) : end;
}

static int find_peer(int fd, const struct sockaddr *address, socklen_t len)
{
    int port, family = count_sources(SOCKET) ? read_address(address, len, &port) : 0;
    struct source *source = family && !find_connection(fd) ? next_source(port) : NULL;
    return source && connect_to(fd, source, family, port, is_datagram_socket(fd));
}

WEAK int __real_connect(int fd, const struct sockaddr *address, socklen_t len);
HIDDEN int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len)
{
    struct source *known = find_connection(fd);
    if (find_peer(fd, address, len) || (known && known->is_datagram))
        return 0;
    return __real_connect(fd, address, len);
}

WEAK ssize_t __real_read(int fd, void *to, size_t n);
HIDDEN ssize_t __wrap_read(int fd, void *to, size_t n)
{
    return is_dry(fd, 0) ? -1 : __real_read(fd, to, n);
}

WEAK ssize_t __real_readv(int fd, const struct iovec *parts, int count);
HIDDEN ssize_t __wrap_readv(int fd, const struct iovec *parts, int count)
{
    return is_dry(fd, 0) ? -1 : __real_readv(fd, parts, count);
}

WEAK ssize_t __real_recv(int fd, void *to, size_t n, int flags);
HIDDEN ssize_t __wrap_recv(int fd, void *to, size_t n, int flags)
{
    return is_dry(fd, flags) ? -1 : __real_recv(fd, to, n, flags);
}

WEAK ssize_t __real_recvfrom(int fd, void *to, size_t n, int flags, void *address, socklen_t *len);
HIDDEN ssize_t __wrap_recvfrom(int fd, void *to, size_t n, int flags, void *address, socklen_t *len)
{
    struct source *source = find_connection(fd);
    if (!source)
        return __real_recvfrom(fd, to, n, flags, address, len);
    if (is_dry(fd, flags))
        return -1;
    write_address(source->family, PEER_PORT, address, len);
    return __real_recvfrom(fd, to, n, flags, NULL, NULL);
}

WEAK ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
HIDDEN ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    struct source *source = find_connection(fd);
    if (!source)
        return __real_recvmsg(fd, message, flags);
    if (is_dry(fd, flags))
        return -1;
    socklen_t room = message->msg_namelen;
    ssize_t got = __real_recvmsg(fd, message, flags);
    message->msg_namelen = room;
    write_address(source->family, PEER_PORT, message->msg_name, &message->msg_namelen);
    return got;
}

WEAK ssize_t __real_write(int fd, const void *from, size_t n);
HIDDEN ssize_t __wrap_write(int fd, const void *from, size_t n)
{
    return find_connection(fd) ? (ssize_t)n : __real_write(fd, from, n);
}

WEAK ssize_t __real_send(int fd, const void *from, size_t n, int flags);
HIDDEN ssize_t __wrap_send(int fd, const void *from, size_t n, int flags)
{
    return find_connection(fd) ? (ssize_t)n : __real_send(fd, from, n, flags);
}

WEAK ssize_t __real_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *address, socklen_t len);
HIDDEN ssize_t __wrap_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *address, socklen_t len)
{
    if (is_datagram_socket(fd))
        find_peer(fd, address, len);
    return find_connection(fd) ? (ssize_t)n : __real_sendto(fd, from, n, flags, address, len);
}

static ssize_t total(const struct iovec *parts, size_t count)
{
    ssize_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += parts[i].iov_len;
    return sum;
}

WEAK ssize_t __real_writev(int fd, const struct iovec *parts, int count);
HIDDEN ssize_t __wrap_writev(int fd, const struct iovec *parts, int count)
{
    return find_connection(fd) ? total(parts, count) : __real_writev(fd, parts, count);
}

WEAK ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
HIDDEN ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (is_datagram_socket(fd))
        find_peer(fd, message->msg_name, message->msg_namelen);
    return find_connection(fd) ? total(message->msg_iov, message->msg_iovlen) : __real_sendmsg(fd, message, flags);
}

WEAK int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
HIDDEN int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
    int result = __real_setsockopt(fd, level, name, value, len);
    return result < 0 && (find_connection(fd) || find_listener(fd)) ? 0 : result;
}

WEAK int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
HIDDEN int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    int result = __real_getsockopt(fd, level, name, value, len);
    if (result < 0 && len && (find_connection(fd) || find_listener(fd))) {
        own_zero(value, *len);
        return 0;
    }
    return result;
}

WEAK int __real_getpeername(int fd, void *address, socklen_t *len);
HIDDEN int __wrap_getpeername(int fd, void *address, socklen_t *len)
{
    struct source *source = find_connection(fd);
    if (!source)
        return __real_getpeername(fd, address, len);
    write_address(source->family, PEER_PORT, address, len);
    return 0;
}

WEAK int __real_getsockname(int fd, void *address, socklen_t *len);
HIDDEN int __wrap_getsockname(int fd, void *address, socklen_t *len)
{
    struct source *source = find_connection(fd);
    struct listener *listener = find_listener(fd);
    if (source)
        write_address(source->family, source->local_port, address, len);
    else if (listener)
        write_address(listener->family, listener->port, address, len);
    else
        return __real_getsockname(fd, address, len);
    return 0;
}

WEAK int __real_poll(struct pollfd *requests, nfds_t count, int timeout_ms);
HIDDEN int __wrap_poll(struct pollfd *requests, nfds_t count, int timeout_ms)
{
    if (may_starve(timeout_ms < 0) && __real_poll(requests, count, 0) == 0)
        starve();
    return __real_poll(requests, count, timeout_ms);
}

WEAK int __real_ppoll(struct pollfd *requests, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
HIDDEN int __wrap_ppoll(struct pollfd *requests, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    if (may_starve(!timeout) && OWN_CALL(SYS_poll, requests, count, 0, 0, 0, 0) == 0)
        starve();
    return __real_ppoll(requests, count, timeout, mask);
}

static int ask_select(int n, fd_set *reads, fd_set *writes, fd_set *excepts)
{
    struct timeval now = {0, 0};
    fd_set copies[3];
    if (reads)
        copies[0] = *reads;
    if (writes)
        copies[1] = *writes;
    if (excepts)
        copies[2] = *excepts;
    return OWN_CALL(SYS_select, n, reads ? &copies[0] : NULL, writes ? &copies[1] : NULL, excepts ? &copies[2] : NULL,
                    &now, 0);
}

WEAK int __real_select(int n, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout);
HIDDEN int __wrap_select(int n, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout)
{
    if (may_starve(!timeout) && ask_select(n, reads, writes, excepts) == 0)
        starve();
    return __real_select(n, reads, writes, excepts, timeout);
}

WEAK int __real_pselect(int n, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *timeout,
                   const sigset_t *mask);
HIDDEN int __wrap_pselect(int n, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *timeout,
                   const sigset_t *mask)
{
    if (may_starve(!timeout) && ask_select(n, reads, writes, excepts) == 0)
        starve();
    return __real_pselect(n, reads, writes, excepts, timeout, mask);
}

WEAK int __real_epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms);
HIDDEN int __wrap_epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    if (may_starve(timeout_ms < 0) && raw_poll(epoll, POLLIN, 0) == 0)
        starve();
    return __real_epoll_wait(epoll, events, count, timeout_ms);
}

WEAK int __real_epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask);
HIDDEN int __wrap_epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
    if (may_starve(timeout_ms < 0) && raw_poll(epoll, POLLIN, 0) == 0)
        starve();
    return __real_epoll_pwait(epoll, events, count, timeout_ms, mask);
}
