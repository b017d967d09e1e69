# Variadic functions in the memory build: what calls put on the stack, and where functions save registers, belongs to
# nobody, and pointers there to what the caller meant. One half of what other code does is not instrumented.
cat > forms.h <<'END'
#include <stdarg.h>
struct big { int *p; long a[3]; int *q; };
struct wide { long double x; int *p; };
int sum(const char *types, ...);
int vsum(const char *types, va_list list);
int foreign_sum(const char *types, ...);
int foreign_vsum(const char *types, va_list list);
int foreign_one(va_list *list);
int foreign_calls(int (*back)(const char *, ...), int value);
END
cat > forms.c <<'END'
#include "forms.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int vsum(const char *types, va_list list)
{
    int total = 0;
    for (; *types; types++)
        switch (*types) {
        case 'p': total += *va_arg(list, int *); break;
        case 'd': total += (int)va_arg(list, double); break;
        case 'D': total += (int)va_arg(list, long double); break;
        case 'q': total += (int)va_arg(list, __int128); break;
        case 'B': { struct big b = va_arg(list, struct big); total += *b.p + *b.q; break; }
        case 'W': { struct wide w = va_arg(list, struct wide); total += *w.p; break; }
        case 'f': total += foreign_one((va_list *)list); break;
        }
    return total;
}

__attribute__((noinline)) int sum(const char *types, ...)
{
    va_list list, copy;
    va_start(list, types);
    va_copy(copy, list);
    int total = vsum(types, list);
    va_end(list);
    total += types[0] == 'f' ? 0 : foreign_vsum(types, copy);
    va_end(copy);
    return total;
}

/* more than there is, as parsers of options do that do not know how much that is */
__attribute__((noinline)) static int greedy(int n, ...)
{
    va_list list;
    void *all[60];
    int total = 0;
    va_start(list, n);
    for (int i = 0; i < 60; i++)
        all[i] = va_arg(list, void *);
    va_end(list);
    for (int i = 0; i < n; i++)
        total += *(int *)all[i];
    return total;
}

__attribute__((noinline)) static int by_value(struct big b, struct wide w) { return *b.p + *b.q + *w.p; }
__attribute__((noinline)) static int pointers(int k)
{
    int x = k, y = 2 * k;
    return sum("ppppppppp", &x, &y, &x, &y, &x, &y, &x, &y, &x);
}
__attribute__((noinline)) static int structs(int k)
{
    int x = k, y = 2 * k;
    struct big b = { &x, { 1 }, &y };
    struct wide w = { 3.0L, &y };
    return sum("BWpBdWpppppp", b, w, &x, b, 1.0, w, &x, &y, &x, &y, &x, &y) + by_value(b, w);
}
__attribute__((noinline)) static int mixed(int k)
{
    int x = k, y = 2 * k;
    return sum("dqpdDpdddpqddpDdddp", 1.0, (__int128)2, &x, 2.0, 3.0L, &y, 1.0, 1.0, 1.0, &x, (__int128)1, 1.0, 1.0, &y,
               4.0L, 1.0, 1.0, 1.0, &x);
}
__attribute__((noinline)) static int few(int k)
{
    int x = k, y = 2 * k;
    char text[10];
    memset(text, k, sizeof text);
    return greedy(4, &x, &y, &x, &y) + greedy(9, &x, &y, &x, &y, &x, &y, &x, &y, &x) + text[3];
}
__attribute__((noinline)) static int handed(int k)
{
    int x = k, y = 2 * k;
    return foreign_sum("pppppppp", &x, &y, &x, &y, &x, &y, &x, &y) + sum("fpfpfpfp", &x, &y, &x, &y, &x, &y, &x, &y);
}
__attribute__((noinline)) static int called_back(int k) { return foreign_calls(sum, k); }

int main(int argc, char **argv)
{
    int total = 0, past = argc > 1;
    for (int k = 0; k < 4; k++)
        total += pointers(k) + structs(k) + mixed(k) + few(k) + handed(k) + called_back(k);
    printf("%d\n", total);
    int *block = malloc(4 * sizeof *block), cells[4] = { 0 };
    memset(block, 0, 4 * sizeof *block);
    if (past && argv[1][0] == 'h')
        sum("ppppppp", block, block, block, block, block, block, block + 4);
    if (past && argv[1][0] == 's')
        sum("ppp", cells, cells, cells + 4);
    free(block);
    if (past && argv[1][0] == 'f')
        sum("ppppppp", cells, cells, cells, cells, cells, cells, block);
    return 0;
}
END
cat > foreign.c <<'END'
#include "forms.h"
int foreign_vsum(const char *types, va_list list) { return vsum(types, list); }
int foreign_one(va_list *list) { return *va_arg(*(va_list *)list, int *); }
int foreign_sum(const char *types, ...)
{
    va_list list;
    va_start(list, types);
    int total = vsum(types, list);
    va_end(list);
    return total;
}
int foreign_calls(int (*back)(const char *, ...), int value)
{
    int x = value, y = 3 * value;
    return back("pppppppp", &x, &y, &x, &y, &x, &y, &x, &y);
}
END
clang-19 -w -O1 -c foreign.c
clang-19 -w -O0 forms.c foreign.o -o native
for level in -O0 -O1 -O2 -O3; do
    gimlet-cc $level -g -w --with=memory forms.c foreign.o -o forms 2> /dev/null
    same "$(./forms.memory 2>&1)" "$(./native)"
    for bug in heap-out-of-bounds stack-out-of-bounds free; do
        fails 134 ./forms.memory $bug > /dev/null 2> said
        grep -q "^kind: .*$bug$" said || { echo "$level $bug" >&2; cat said >&2; exit 1; }
    done
done

# Fields of bits that are packed: of a unit of three bytes, three are read.
cat > packed.c <<'END'
#include <stdio.h>
#pragma pack(push, 1)
struct packed { unsigned a : 5, b : 11, c : 8; };
#pragma pack(pop)
static struct packed all[3];
int main(void)
{
    for (int i = 0; i < 3; i++)
        all[i].b = (unsigned)i + 7, all[i].c = 9;
    printf("%d %d\n", all[2].b, all[1].c);
    return 0;
}
END
for level in -O0 -O2; do
    gimlet-cc $level -w --with=memory packed.c -o packed
    same "$(./packed.memory 2>&1)" "9 9"
done
