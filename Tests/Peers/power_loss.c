// Loaded with LD_PRELOAD: writes down, in order, what a process does to the files of one folder, so that the disk can be
// made again as it may look when the power fails at any point: what was synced is there, the rest may be or not.
//   TILL_DISK_FOLDER  files whose path begins with this are followed
//   TILL_DISK_LOG     where it is written down
// A record is { kind, file (inode), offset, length } in native 64-bit words, then `length` bytes for W and N:
//   N  the file has this name          W  bytes at an offset      T  cut to, or grown to, `offset` bytes
//   S  synced: what was written before record number `offset` will survive           U  the name is gone
// The folder itself is a file too: its sync makes names last.
// Build: cc -O2 -shared -fPIC -o power_loss.so power_loss.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAXIMUM_DESCRIPTORS = 4096 };

static const char *folder;
static int sink = -1;
static uint64_t number;
static uint64_t followed[MAXIMUM_DESCRIPTORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void prepare(void) {
    folder = getenv("TILL_DISK_FOLDER");
    const char *path = getenv("TILL_DISK_LOG");
    if (folder && path) sink = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(uint64_t kind, uint64_t file, uint64_t offset, uint64_t length, const void *data) {
    uint64_t head[4] = {kind, file, offset, length};
    struct iovec parts[2] = {{head, sizeof head}, {(void *)data, data ? length : 0}};
    number += 1;
    if (REAL(writev)(sink, parts, data ? 2 : 1) < 0) abort();
}

static uint64_t file_of(int descriptor) {
    return sink >= 0 && descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTORS ? followed[descriptor] : 0;
}

static int opened(int descriptor, const char *path, int flags) {
    if (sink < 0 || descriptor < 0 || descriptor >= MAXIMUM_DESCRIPTORS) return descriptor;
    followed[descriptor] = 0;
    struct stat status;
    if (strncmp(path, folder, strlen(folder)) || fstat(descriptor, &status)) return descriptor;
    followed[descriptor] = (uint64_t)status.st_ino;
    pthread_mutex_lock(&lock);
    put('N', followed[descriptor], 0, strlen(path), path);
    if (flags & O_TRUNC) put('T', followed[descriptor], 0, 0, NULL);
    pthread_mutex_unlock(&lock);
    return descriptor;
}

#define OPEN(name)                                                     \
    int name(const char *path, int flags, ...) {                       \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                  \
        return opened(REAL(name)(path, flags, mode), path, flags);     \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                   \
    int name(int where, const char *path, int flags, ...) {            \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                  \
        return opened(REAL(name)(where, path, flags, mode), path, flags); \
    }
OPENAT(openat)
OPENAT(openat64)

// The lock is held over the real call, so that the record's order is the order on the disk.
#define PWRITE(name, offset_type)                                                      \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) { \
        uint64_t file = file_of(descriptor);                                           \
        if (!file) return REAL(name)(descriptor, bytes, count, offset);                \
        pthread_mutex_lock(&lock);                                                     \
        ssize_t done = REAL(name)(descriptor, bytes, count, offset);                   \
        if (done > 0) put('W', file, (uint64_t)offset, (uint64_t)done, bytes);         \
        pthread_mutex_unlock(&lock);                                                   \
        return done;                                                                   \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    uint64_t file = file_of(descriptor);
    if (!file) return REAL(write)(descriptor, bytes, count);
    pthread_mutex_lock(&lock);
    ssize_t done = REAL(write)(descriptor, bytes, count);
    if (done > 0) put('W', file, (uint64_t)(lseek(descriptor, 0, SEEK_CUR) - done), (uint64_t)done, bytes);
    pthread_mutex_unlock(&lock);
    return done;
}

#define TRUNCATE(name, offset_type)                                    \
    int name(int descriptor, offset_type length) {                     \
        uint64_t file = file_of(descriptor);                           \
        if (!file) return REAL(name)(descriptor, length);              \
        pthread_mutex_lock(&lock);                                     \
        int done = REAL(name)(descriptor, length);                     \
        if (!done) put('T', file, (uint64_t)length, 0, NULL);          \
        pthread_mutex_unlock(&lock);                                   \
        return done;                                                   \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

// What another thread writes while the sync runs is not covered by it.
#define SYNC(name)                                                     \
    int name(int descriptor) {                                         \
        uint64_t file = file_of(descriptor);                           \
        if (!file) return REAL(name)(descriptor);                      \
        pthread_mutex_lock(&lock);                                     \
        uint64_t before = number;                                      \
        pthread_mutex_unlock(&lock);                                   \
        int done = REAL(name)(descriptor);                             \
        pthread_mutex_lock(&lock);                                     \
        if (!done) put('S', file, before, 0, NULL);                    \
        pthread_mutex_unlock(&lock);                                   \
        return done;                                                   \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    int done = REAL(unlink)(path);
    if (!done && sink >= 0 && !strncmp(path, folder, strlen(folder))) {
        pthread_mutex_lock(&lock);
        put('U', 0, 0, strlen(path), path);
        pthread_mutex_unlock(&lock);
    }
    return done;
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTORS) followed[descriptor] = 0;
    return REAL(close)(descriptor);
}
