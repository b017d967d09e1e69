// The address of a proxy from the environment: one of the three schemes sets no port.
//~ ENV PROXY: "www:host"
//~ FINDS: uninitialised use_proxy
//~ SOLUTION $PROXY: "ftp:host"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct proxy {
    int port;
    const char *host;
};

__attribute__((noinline)) static int parse(struct proxy *proxy, const char *url)
{
    if (strncmp(url, "www:", 4) == 0) {
        proxy->port = 80;
        proxy->host = url + 4;
    } else if (strncmp(url, "tls:", 4) == 0) {
        proxy->port = 443;
        proxy->host = url + 4;
    } else if (strncmp(url, "ftp:", 4) == 0) {
#ifdef FIXED
        proxy->port = 21;
#endif
        proxy->host = url + 4;
    } else {
        return -1;
    }
    return 0;
}

static int use_proxy(const char *url)
{
    struct proxy proxy;
    if (parse(&proxy, url) != 0)
        return -1;
    if (proxy.port == 443) //~ HERE
        puts("encrypted");
    printf("by %s\n", proxy.host);
    return 0;
}

int main(void)
{
    const char *url = getenv("PROXY");
    return !url || use_proxy(url) != 0;
}
