/* Makes one step of a write fail: LD_PRELOAD it into a program.

   Counts the calls that change a file or folder below $FAILING_FOLDER. From number $FAILING_STEP on,
   they fail with the error number $FAILING_ERROR; if $FAILING_ONCE is set, only that one does. The
   error 0 kills the program before that step. That it came to it is noted in $FAILING_REPORT. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int steps;

static int inside(const char *path) {
    const char *folder = getenv("FAILING_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int open_inside(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return inside(path);
}

/* Whether this call fails; errno is set. */
static int fails(void) {
    int step = atomic_fetch_add(&steps, 1) + 1;
    int wanted = atoi(getenv("FAILING_STEP"));
    if (step < wanted || (step > wanted && getenv("FAILING_ONCE")))
        return 0;
    int report = syscall(SYS_openat, AT_FDCWD, getenv("FAILING_REPORT"), O_WRONLY | O_CREAT, 0600);
    syscall(SYS_close, report);
    int error = atoi(getenv("FAILING_ERROR"));
    if (error == 0)
        kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAIL_ON_DESCRIPTOR(type, name, parameters, ...)                    \
    type name parameters {                                                 \
        if (open_inside(descriptor) && fails())                            \
            return -1;                                                     \
        return REAL(name)(__VA_ARGS__);                                    \
    }

#define FAIL_ON_PATH(name, parameters, ...)                                \
    int name parameters {                                                  \
        if (inside(path) && fails())                                       \
            return -1;                                                     \
        return REAL(name)(__VA_ARGS__);                                    \
    }

FAIL_ON_DESCRIPTOR(ssize_t, write, (int descriptor, const void *data, size_t size), descriptor, data, size)
FAIL_ON_DESCRIPTOR(ssize_t, pwrite, (int descriptor, const void *data, size_t size, off_t at), descriptor, data, size, at)
FAIL_ON_DESCRIPTOR(ssize_t, pwrite64, (int descriptor, const void *data, size_t size, off64_t at), descriptor, data, size, at)
FAIL_ON_DESCRIPTOR(int, fsync, (int descriptor), descriptor)
FAIL_ON_DESCRIPTOR(int, fdatasync, (int descriptor), descriptor)
FAIL_ON_DESCRIPTOR(int, ftruncate, (int descriptor, off_t size), descriptor, size)
FAIL_ON_DESCRIPTOR(int, ftruncate64, (int descriptor, off64_t size), descriptor, size)
FAIL_ON_PATH(mkdir, (const char *path, mode_t mode), path, mode)
FAIL_ON_PATH(unlink, (const char *path), path)
FAIL_ON_PATH(rename, (const char *path, const char *target), path, target)

#define FAIL_ON_OPEN(name)                                                 \
    int name(const char *path, int flags, ...) {                           \
        va_list arguments;                                                 \
        va_start(arguments, flags);                                        \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                                 \
        if (flags & O_CREAT && inside(path) && fails())                    \
            return -1;                                                     \
        return REAL(name)(path, flags, mode);                              \
    }

FAIL_ON_OPEN(open)
FAIL_ON_OPEN(open64)
