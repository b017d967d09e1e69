# -E sees what the instrumented build sees.
cat > look.c <<'EOF'
#ifdef __NO_INLINE__
no_inline
#endif
#if _FORTIFY_SOURCE
fortified
#endif
#include <gimlet.h>
EOF
for option in -D_FORTIFY_SOURCE=2 -Wp,-D_FORTIFY_SOURCE=2; do
    gimlet-cc -O2 $option -E look.c > text
    grep -q no_inline text
    grep -q gimlet_symbolic text
    lacks fortified cat text
done
gimlet-cc -E -P -x c - < twice.c | grep -q 'x \* 2'
gimlet-cc -fsyntax-only main.c
