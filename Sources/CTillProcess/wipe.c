// Memory that is given back is zeroed: a card number was in many blocks on its way (the request, its parts, the
// provider's message), and Swift has no place of its own to wipe them. Stands in front of the allocator of the process,
// whichever it is (the C library's, one that was loaded before it, a checking tool's). A sanitizer has its own.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TILL_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(TILL_SANITIZED)
#include <features.h>
#endif

#if defined(__GLIBC__) && !defined(TILL_SANITIZED)
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef void release(void *block);

static _Atomic(release *) next_release;
static _Thread_local int is_resolving;

// The allocator's own `free`. Resolving it may free a block itself, which is then kept: it is a few bytes, once.
static release *allocator_release(void) {
    release *found = atomic_load_explicit(&next_release, memory_order_acquire);
    if (found != NULL || is_resolving) return found;
    is_resolving = 1;
    found = (release *)dlsym(RTLD_NEXT, "free");
    is_resolving = 0;
    atomic_store_explicit(&next_release, found, memory_order_release);
    return found;
}

void free(void *block) {
    if (block == NULL) return;
    explicit_bzero(block, malloc_usable_size(block));
    release *const next = allocator_release();
    if (next != NULL) next(block);
}

// The library's own would leave the old block as it was when it moves one.
void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    const size_t usable = malloc_usable_size(block);
    if (size <= usable && size > usable / 2) return block;
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, size < usable ? size : usable);
    free(block);
    return moved;
}
#else
typedef int till_process_wipes_nothing_here;
#endif
