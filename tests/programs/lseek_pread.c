// A file read out of order with open, lseek, pread and read: an index at the
// end points to blocks in the middle, and one byte is read several times.
//~ FILE: "IDX0....alphabravocharldelta\x08\x05\x17\x05\x12\x05\x03\x02"
//~ ARGS: @@
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int load(int fd, unsigned char *to, unsigned at, unsigned n)
{
    return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

int main(int argc, char **argv)
{
    unsigned char magic[4], trailer[2], entry[2], block[16], again;
    struct stat status;
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &status) < 0)
        return 2;
    if (read(fd, magic, 4) != 4 || memcmp(magic, "IDX", 3) != 0)
        return 3;
    if (status.st_size < 8)
        return 4;

    // The trailer says how many entries precede it, and how long each is.
    if (lseek(fd, -2, SEEK_END) != status.st_size - 2 || read(fd, trailer, 2) != 2)
        return 5;
    unsigned count = trailer[0] & 7;
    if (trailer[1] != 2 || 4 + count * 2 + 2 > status.st_size)
        return 6;

    unsigned at = (unsigned)status.st_size - 2 - count * 2, matches = 0;
    for (unsigned i = 0; i < count; i++, at += 2) {
        if (!load(fd, entry, at, 2) || entry[1] > sizeof block)
            break;
        if (!load(fd, block, entry[0], entry[1])) {
            puts("beyond the end");
            continue;
        }
        if (entry[1] > 0 && block[0] == 'd')
            puts("starts with d");
        if (entry[1] == 5 && memcmp(block, "alpha", 5) == 0)
            matches++;

        // The same block by way of the file position.
        if (lseek(fd, entry[0], SEEK_SET) != entry[0] || lseek(fd, 1, SEEK_CUR) < 0)
            break;
        if (entry[1] > 1 && read(fd, &again, 1) == 1 && again == block[1] && again == 'h')
            puts("second letter is h");
    }
    printf("%u %u %d\n", count, matches, magic[3] == '0');
    close(fd);
    return 0;
}
