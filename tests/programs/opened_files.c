// Files that the program opens by paths of its own: open, openat, fopen, stat, access; with detours.
//~ OPEN app.conf: "level=3\n"
//~ OPEN data/table.bin: "\x02\x07\x09"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat st;
    if (access("no/such.file", R_OK) == 0 || access("./app.conf", R_OK) != 0)
        return 1;
    if (stat("data/../app.conf", &st) != 0 || st.st_size != 8)
        return 2;
    FILE *f = fopen("app.conf", "r");
    char line[32];
    int level = 0;
    if (!f || !fgets(line, sizeof line, f))
        return 3;
    if (strncmp(line, "level=", 6) == 0)
        level = line[6] - '0';
    fclose(f);
    int fd = open("data//table.bin", O_RDONLY);
    unsigned char table[3];
    if (fd < 0 || read(fd, table, 3) != 3)
        return 4;
    close(fd);
    if (level >= 0 && level < 3)
        printf("value %d\n", table[level]);
    else if (level == 3)
        puts("just beyond");
    if (table[0] + table[1] == table[2])
        puts("sum");
    fd = openat(AT_FDCWD, "data/table.bin", O_RDONLY);
    if (fd < 0 || lseek(fd, 0, SEEK_END) != 3)
        return 5;
    return 0;
}
