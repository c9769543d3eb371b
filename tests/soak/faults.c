/* Lets the n-th write, sync or rename of a regular file fail, once or from then on. Preloaded by drive.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long target = 0, done = 0;
static int lasting = 0, code = ENOSPC;

void arm(long nth, int stays, int error) {
    done = 0, target = nth, lasting = stays, code = error;
}

long counted(void) { return done; }

static int due(void) {
    long now = __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
    return target && (now == target || (lasting && now > target));
}

static int due_for(int handle) {
    struct stat state;
    return handle > 2 && !fstat(handle, &state) && (S_ISREG(state.st_mode) || S_ISDIR(state.st_mode)) && due();
}

#define OR_FAIL(test, type, name, shape, given) \
    type name shape { \
        static type(*real) shape; \
        if (!real) real = (type(*) shape)dlsym(RTLD_NEXT, #name); \
        if (test) { errno = code; return -1; } \
        return real given; \
    }

OR_FAIL(due_for(fd), ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
OR_FAIL(due_for(fd), ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
OR_FAIL(due_for(fd), ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
OR_FAIL(due_for(fd), ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n))
OR_FAIL(due_for(fd), int, fsync, (int fd), (fd))
OR_FAIL(due_for(fd), int, fdatasync, (int fd), (fd))
OR_FAIL(due(), int, rename, (const char *from, const char *to), (from, to))
