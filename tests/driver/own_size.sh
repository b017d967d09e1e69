# gimlet.h includes nothing: a program may have a size_t of its own.
cat > own.c << 'EOT'
typedef unsigned size_t;
#include "gimlet.h"
int main(void)
{
    char c = 'a';
    gimlet_symbolic(&c, 1, "c");
    gimlet_assert(c != 'k');
    return sizeof(size_t) != 4;
}
EOT
gimlet-cc -Werror own.c -o own
./own
cat > own.cc << 'EOT'
struct size_t { int x; };
#include "gimlet.h"
#include <gimlet.h>
int main()
{
    size_t own = {0};
    gimlet_observe(&own, sizeof own, "own");
    return own.x;
}
EOT
gimlet-c++ -Werror own.cc -o own++
./own++
# Before and after the library's own.
printf '#include <gimlet.h>\n#include <stddef.h>\nsize_t n = 1;\nint main(void) { gimlet_symbolic(&n, n, "n"); return 0; }\n' > both.c
gimlet-cc -Werror both.c -o both
./both
