# Where a trace says that things happened, and what it says of what it did not see.
cat > pointers.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    int (*volatile get)(FILE *) = fgetc;
    void *(*volatile allocate)(size_t) = malloc;
    size_t length = strlen("somewhere else");
    int n = get(stdin);
    char *room = allocate(n);
    printf("%zu %d\n", length, room != NULL);
    return 0;
}
EOF
printf x > input
gimlet-cc -O1 -g pointers.c -o pointers
gimlet trace --quiet-target --stdin input -- ./pointers > traced
grep -q 'read .* pointers.c:9:' traced
grep -q 'pin .* pointers.c:10:' traced

# native code read everything, and a model saw the end
cat > native.c <<'EOF'
#include <stdio.h>
int sum_of(FILE *file)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += getc(file);
    return sum;
}
EOF
cat > end.c <<'EOF'
#include <stdio.h>
int sum_of(FILE *file);
int main(void)
{
    int sum = sum_of(stdin);
    printf("%d %d\n", sum, getchar() == EOF);
    return 0;
}
EOF
printf abcd > input
clang-19 -c native.c
gimlet-cc -O1 end.c native.o -o end 2> said
gimlet trace --quiet-target --stdin input -- ./end > traced
grep -q 'input read by native code' traced

# and closed it
cat > closed.c <<'EOF'
#include <stdio.h>
int sum_of(FILE *file);
int main(void)
{
    int sum = sum_of(stdin);
    fclose(stdin);
    printf("%d\n", sum);
    return 0;
}
EOF
gimlet-cc -O1 closed.c native.o -o closed 2> said
gimlet trace --quiet-target --stdin input -- ./closed > traced
grep -q 'input read by native code' traced
