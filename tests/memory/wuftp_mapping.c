// An FTP server keeps the current path in buffers of fixed size, and copies what the client asks for without measuring it.
//~ STDIN: "CWD /pub/linux\nkernel/v2.6/x\n"
//~ FINDS: global-out-of-bounds mapping_chdir
//~ SOLUTION: "CWD /pub/linux/kernel/v2.6/x\n"
//~ QUICK
//~ TEXT
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

#define MAXPATHLEN (24 * SCALE)

char pathspace[MAXPATHLEN];
char old_mapped_path[MAXPATHLEN];
char mapped_path[MAXPATHLEN] = "/";

static int mapping_chdir(const char *orig_path)
{
    char *path = &pathspace[0];
    strcpy(old_mapped_path, mapped_path);
#ifdef FIXED
    if (strlen(orig_path) >= sizeof pathspace)
        return -1;
#endif
    strcpy(path, orig_path); //~ HERE
    if (path[0] != '/') {
        if (strlen(mapped_path) + strlen(path) >= sizeof mapped_path)
            return -1;
        strcat(mapped_path, path);
    } else {
        strcpy(mapped_path, path);
    }
    return 0;
}

int main(void)
{
    char text[48 * SCALE];
    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    if (strncmp(text, "CWD ", 4) != 0) {
        puts("502");
        return 1;
    }
    if (mapping_chdir(text + 4) != 0) {
        puts("550");
        return 1;
    }
    printf("250 from %s to %s\n", old_mapped_path, mapped_path);
    return 0;
}
