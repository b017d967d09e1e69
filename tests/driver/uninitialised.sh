# Memory that nobody has written to is told where a library function decides by it or gives it away, not at the branch
# behind that; copies of it are no findings, nor is padding that is written to a file.
cat > uses.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct record { char tag; int number; char kind; double value; };
int main(void)
{
    char *text = malloc(16), *other = malloc(16), *block = malloc(256);
    struct record *record = malloc(sizeof *record), copy;
    int unset[2];
    int c = getchar();
    record->tag = 'r', record->number = c, record->kind = 'k', record->value = 1.5;
    memcpy(other, text, 16);
    copy = *record;
    fwrite(&copy, sizeof copy, 1, stdout);
    write(1, record, sizeof *record);
    unset[0] = c;
    memcpy(text, "name", 4);
    size_t n = 0;
    switch (c) {
    case 'a': n = strlen(text); break;
    case 'b': printf("%s\n", text); break;
    case 'c': n = memcmp(text, "names", 5) == 0; break;
    case 'd': n = strcmp(text, "names") == 0; break;
    case 'e': write(1, block, 256); break;
    case 'f': fwrite(block, 1, 256, stdout); break;
    case 'g': printf("%d\n", unset[1]); break;
    case 'h': n = strchr(text, 'x') != NULL; break;
    case 'i': n = (size_t)atoi(other); break;
    case 'j': strcpy(block, text); break;
    case 'k': puts(text); break;
    default: printf("%d %.4s\n", unset[0], text); break;
    }
    if (n > 4)
        puts("long");
    return 0;
}
END
gimlet-cc -g -O1 -w --with=memory uses.c -o uses
printf z > seed
line=21
for letter in a b c d e f g h i j k; do
    printf $letter > seed
    fails 10 gimlet run --no-ui --steps 1 -i seed -o "found-$letter" -- ./uses > said 2> /dev/null
    grep -q "found uninitialised in main at uses.c:$line" said || { echo "$letter, line $line" >&2; cat said >&2; exit 1; }
    line=$((line + 1))
done
grep -q 'depends on memory that nobody has written to, read by puts' said
printf z > seed
gimlet run --no-ui --steps 1 -i seed -o nothing -- ./uses > said 2> /dev/null
lacks '^found' cat said
