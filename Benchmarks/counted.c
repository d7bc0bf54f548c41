// Loaded with LD_PRELOAD: counts a process's allocations and what it writes to the write-ahead log of its SQLite journal.
//   TILL_COUNT_FILE  a file, mapped: native 64-bit numbers in the order of `enum what`, then the numbers of the last
//                    MOST_PAGES pages that were written to the log, 32 bits each, page n at place n % MOST_PAGES, with
//                    the highest bit set at the last page of a commit
// Build: cc -O2 -shared -fPIC -o counted.so counted.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum what { ALLOCATIONS, ALLOCATED_BYTES, LOG_PAGES, LOG_BYTES, FILE_PAGES, SYNCS, WHATS };
enum { MOST_PAGES = 1 << 20, FRAME_HEADER = 24, MOST_FILES = 1024, PAGE = 4096 };

struct counts {
    _Atomic uint64_t of[WHATS];
    _Atomic uint32_t pages[MOST_PAGES];
};
static struct counts *counts;
// What a descriptor is: 0 not known, 1 the log, 2 the database, 3 anything else.
static _Atomic char kinds[MOST_FILES];
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_close)(int), (*real_fsync)(int), (*real_fdatasync)(int);

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(enum what what, uint64_t by) {
    if (counts) atomic_fetch_add_explicit(&counts->of[what], by, memory_order_relaxed);
}

__attribute__((constructor)) static void prepare(void) {
    real_pwrite = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
    real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    const char *path = getenv("TILL_COUNT_FILE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, sizeof(struct counts)) == 0) {
        void *map = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) counts = map;
    }
    real_close(file);
}

// Allocations

void *malloc(size_t size) {
    count(ALLOCATIONS, 1), count(ALLOCATED_BYTES, size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(ALLOCATIONS, 1), count(ALLOCATED_BYTES, number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(ALLOCATIONS, 1), count(ALLOCATED_BYTES, size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count(ALLOCATIONS, 1), count(ALLOCATED_BYTES, size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *place = made;
    return 0;
}

// The journal

static char kind(int file) {
    if (file < 0 || file >= MOST_FILES) return 3;
    char known = kinds[file];
    if (known) return known;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    known = 3;
    if (length > 7 && !memcmp(path + length - 7, ".db-wal", 7)) known = 1;
    else if (length > 3 && !memcmp(path + length - 3, ".db", 3)) known = 2;
    kinds[file] = known;
    return known;
}

// SQLite writes a frame as its header, and then the page. The header begins with the page's number and, at the end of a
// commit, the size of the database.
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) {
    char known = kind(file);
    if (known == 1) {
        count(LOG_BYTES, size);
        if (counts && size == FRAME_HEADER) {
            uint32_t header[2];
            memcpy(header, bytes, sizeof header);
            uint64_t place = atomic_fetch_add(&counts->of[LOG_PAGES], 1);
            counts->pages[place % MOST_PAGES] = __builtin_bswap32(header[0]) | (header[1] ? 1u << 31 : 0);
        }
    } else if (known == 2) {
        count(FILE_PAGES, (size + PAGE - 1) / PAGE);
    }
    return real_pwrite(file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return pwrite64(file, bytes, size, at); }

int close(int file) {
    if (file >= 0 && file < MOST_FILES) kinds[file] = 0;
    return real_close(file);
}

int fsync(int file) {
    count(SYNCS, 1);
    return real_fsync(file);
}

int fdatasync(int file) {
    count(SYNCS, 1);
    return real_fdatasync(file);
}

// Valgrind 3.19 changes the caller's mask, which libdispatch keeps where it may not be written.
int sigsuspend(const sigset_t *mask) {
    static int (*real)(const sigset_t *);
    if (!real) real = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
    sigset_t copy = *mask;
    return real(&copy);
}
