#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "till_process.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__linux__)
// Called for each object of the process. The program is the first, and its end is the walk's.
static int release_program(struct dl_phdr_info *program, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < (size_t)program->dlpi_phnum; at++) {
        const ElfW(Phdr) *const segment = &program->dlpi_phdr[at];
        // What can be written holds what the loader and the program wrote there, and is not in the file.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        const uintptr_t begin = (uintptr_t)(program->dlpi_addr + segment->p_vaddr);
        const uintptr_t first = (begin + page - 1) & ~(page - 1);
        const uintptr_t last = (begin + (uintptr_t)segment->p_filesz) & ~(page - 1);
        if (first < last) (void)madvise((void *)first, last - first, MADV_DONTNEED);
    }
    return 1;
}
#endif

void till_process_release_startup(void) {
#if defined(__linux__)
    (void)dl_iterate_phdr(release_program, NULL);
#endif
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}

void till_process_bound_memory(void) {
#if defined(__GLIBC__)
    // Whoever runs the program decides.
    if (getenv("MALLOC_ARENA_MAX") != NULL || getenv("GLIBC_TUNABLES") != NULL) return;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    // Fails where there are more processors than the set can hold: such a machine has the memory, too.
    if (sched_getaffinity(0, sizeof processors, &processors) != 0) return;
    const int count = CPU_COUNT(&processors);
    (void)mallopt(M_ARENA_MAX, count > 2 ? count : 2);
#endif
}
