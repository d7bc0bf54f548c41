// Loaded with LD_PRELOAD: makes a disk slow and counts its syncs.
//   TILL_FSYNC_DELAY_MS    each fsync/fdatasync takes this much longer
//   TILL_FSYNC_COUNT_FILE  a file of 8 bytes, mapped: the number of syncs so far (native 64-bit)
// Build: cc -O2 -shared -fPIC -o slow_sync.so slow_sync.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t *count;
static struct timespec delay;
static int (*real_fsync)(int), (*real_fdatasync)(int);

__attribute__((constructor)) static void prepare(void) {
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    const char *text = getenv("TILL_FSYNC_DELAY_MS");
    double ms = text ? atof(text) : 0;
    delay.tv_sec = (time_t)(ms / 1000);
    delay.tv_nsec = (long)((ms - 1000.0 * (double)delay.tv_sec) * 1e6);
    const char *path = getenv("TILL_FSYNC_COUNT_FILE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, 8) == 0) {
        void *page = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) count = page;
    }
    close(file);
}

static void note(void) {
    if (count) atomic_fetch_add(count, 1);
    if (delay.tv_sec || delay.tv_nsec) nanosleep(&delay, NULL);
}

int fsync(int file) {
    note();
    return real_fsync(file);
}

int fdatasync(int file) {
    note();
    return real_fdatasync(file);
}
