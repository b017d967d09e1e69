// The local zone comes from the environment and is cut to eight bytes by strncpy, which may leave no room for the end.
//~ ENV LOCAL_ZONE: "lan.de.net"
//~ FINDS: unterminated-string split
//~ SOLUTION $LOCAL_ZONE: "lan-de-net"
//~ TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

static char zone[8 * SCALE];

__attribute__((noinline)) static void set_zone(const char *name)
{
#ifdef FIXED
    strncpy(zone, name, sizeof zone - 1);
#else
    strncpy(zone, name, sizeof zone);
#endif
}

__attribute__((noinline)) static int split(const char *name)
{
    const char *dot = strchr(name, '.'); //~ HERE
    return dot ? (int)(dot - name) : -1;
}

int main(void)
{
    const char *name = getenv("LOCAL_ZONE");
    if (!name || name[0] < 'a' || name[0] > 'z')
        return 1;
    set_zone(name);
    int n_host = split(zone);
    if (n_host < 0)
        puts("one label");
    else
        printf("%d before the dot\n", n_host);
    return 0;
}
