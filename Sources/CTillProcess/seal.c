#include "till_process.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int till_process_seal(void) {
    umask(umask(077) | 077);
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
#ifdef __linux__
    // Neither a core dump nor ptrace, /proc/PID/mem and process_vm_readv of another process without CAP_SYS_PTRACE.
    if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) != 0) return errno;
#endif
    return 0;
}
