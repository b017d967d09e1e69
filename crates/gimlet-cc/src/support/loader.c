/* dlopen of a twin program: it loads the twin of an instrumented plugin.
 *
 * `plugin.so` has its plain build beside it as `plugin.so.plain`, and so on; an
 * instrumented one needs the runtime, which no twin has. The linker's --wrap
 * brings the calls of the program's own objects here. SUFFIX is the twin's.
 */
#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

void *__real_dlopen(const char *path, int mode);

/* Hidden: the loader looks at who calls dlopen, so each image has its own. */
__attribute__((visibility("hidden"))) void *__wrap_dlopen(const char *path, int mode)
{
    char twin[PATH_MAX];
    if (!path || strlen(path) + sizeof SUFFIX > sizeof twin)
        return __real_dlopen(path, mode);
    strcpy(twin, path);
    strcat(twin, SUFFIX);
    if (strchr(path, '/'))
        return __real_dlopen(access(twin, F_OK) == 0 ? twin : path, mode);
    /* The loader knows where it looks for a mere name. */
    void *object = __real_dlopen(twin, mode);
    if (object)
        return object;
    dlerror();
    return __real_dlopen(path, mode);
}
