// Loaded with LD_PRELOAD: a process that would kill itself stands still at that place instead, and goes on later. Only
// the thread that came there waits: the others keep the process alive, as they would while a call takes its time.
//   TILL_STOPPED  this file is made when the process has come there; it goes on once the file is gone. Only once.
// Build: cc -O2 -shared -fPIC -o stop_at_point.so stop_at_point.c
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAUSE_MICROSECONDS = 10000 };

static atomic_flag was_there = ATOMIC_FLAG_INIT;

int kill(pid_t process, int number) {
    const char *place = getenv("TILL_STOPPED");
    if (process != getpid() || number != SIGKILL || !place) return (int)syscall(SYS_kill, process, number);
    if (atomic_flag_test_and_set(&was_there)) return 0;
    int file = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) abort();
    close(file);
    while (access(place, F_OK) == 0) usleep(PAUSE_MICROSECONDS);
    return 0;
}
