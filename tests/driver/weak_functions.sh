# A function that may not be there is not there because it has a model.
cat > ask.c << 'EOT'
#include <stdio.h>
__attribute__((weak)) long __isoc23_strtol(const char *, char **, int);
__attribute__((weak)) size_t strlen(const char *);
int main(void) { return printf("%d %d\n", __isoc23_strtol != 0, strlen != 0) < 0; }
EOT
gimlet-cc -w ask.c -o ask
clang-19 -w ask.c -o expected
same "$(./ask)" "$(./expected)"
