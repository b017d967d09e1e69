# A project of autoconf, automake and libtool: a shared and a static library, a convenience library, a program.
#~ SLOW
mkdir src
cat > configure.ac <<'EOF'
AC_INIT([sum], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AM_PROG_AR
AC_PROG_CC
LT_INIT
AC_C_INLINE
AC_CHECK_HEADERS([unistd.h])
AC_CHECK_FUNCS([strlcpy_that_is_nowhere memmove])
AC_SEARCH_LIBS([cos], [m])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOF
cat > Makefile.am <<'EOF'
noinst_LTLIBRARIES = libhelper.la
libhelper_la_SOURCES = src/twice.c
lib_LTLIBRARIES = libsum.la
libsum_la_SOURCES = src/sum.c
libsum_la_LIBADD = libhelper.la
libsum_la_LDFLAGS = -version-info 3:2:1 -no-undefined
bin_PROGRAMS = sum
sum_SOURCES = src/main.c
sum_LDADD = libsum.la
check_PROGRAMS = sum_static
sum_static_SOURCES = src/main.c
sum_static_LDADD = libsum.la
sum_static_LDFLAGS = -static
EOF
mv twice.c src
cat > src/sum.c <<'EOF'
int twice(int x);
int sum(int n)
{
    int total = 0;
    while (n > 0)
        total += twice(n--);
    return total;
}
EOF
cat > src/main.c <<'EOF'
#include <stdio.h>
int sum(int n);
int main(void)
{
    printf("%d\n", sum(getchar() - '0'));
    return 0;
}
EOF
autoreconf --install > log 2>&1 || { cat log; false; }
./configure CC=gimlet-cc CFLAGS=-O1 --prefix="$PWD/installed" > log 2>&1 || { cat log config.log; false; }
grep -q 'HAVE_MEMMOVE 1' config.log
grep -q 'ac_cv_func_strlcpy_that_is_nowhere=no' config.log
make -j2 CFLAGS='-O1 -Wall -Werror' > log 2>&1 || { cat log; false; }
make sum_static install >> log 2>&1 || { cat log; false; }
lacks 'gimlet-cc: ' cat log
for prog in ./sum .libs/sum.plain .libs/sum.edges ./sum_static ./sum_static.plain ./sum_static.edges installed/bin/sum; do
    same "$(echo 4 | $prog)" 20
done
readelf -d .libs/sum.plain | grep -q 'NEEDED.*libsum.so.2.plain'
echo 4 > input
gimlet trace --quiet-target --stdin input -- installed/bin/sum > traced
grep -q 'sum.c:5' traced
