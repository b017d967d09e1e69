/* dlopen of a twin program: it loads the twin of an instrumented plugin.
 *
 * `plugin.so` has its plain build beside it as `plugin.so.plain`, and so on; an
 * instrumented one needs the runtime, which no twin has. The linker's --wrap
 * brings the calls of the program's own objects here. SUFFIX is the twin's.
 */
#include "own.h"
#include <linux/limits.h>

void *__real_dlopen(const char *path, int mode);

static int has_slash(const char *path)
{
    while (*path && *path != '/')
        path++;
    return *path == '/';
}

/* Clears what the loader said of a failure. */
static void forget_failure(void)
{
    char *(*dlerror)(void) = (char *(*)(void))gimlet_own_find("dlerror");
    if (dlerror)
        dlerror();
}

/* Hidden: the loader looks at who calls dlopen, so each image has its own. */
HIDDEN void *__wrap_dlopen(const char *path, int mode)
{
    char twin[PATH_MAX];
    if (!path || own_strlen(path) + sizeof SUFFIX > sizeof twin)
        return __real_dlopen(path, mode);
    own_append(twin, sizeof twin, own_append(twin, sizeof twin, 0, path), SUFFIX);
    if (has_slash(path)) {
        int is_there = OWN_CALL(SYS_access, twin, 0, 0, 0, 0, 0) == 0;
        return __real_dlopen(is_there ? twin : path, mode);
    }
    /* The loader knows where it looks for a mere name. */
    void *object = __real_dlopen(twin, mode);
    if (object)
        return object;
    forget_failure();
    return __real_dlopen(path, mode);
}
