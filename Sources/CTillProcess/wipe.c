// Memory that is given back is zeroed: a card number was in many blocks on its way (the request, its parts, the
// provider's message), and Swift has no place of its own to wipe them. Stands in for the C library's functions in the
// whole program. A sanitizer has its own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TILL_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(TILL_SANITIZED)
#include <features.h>
#endif

#if defined(__GLIBC__) && !defined(TILL_SANITIZED)
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

extern void __libc_free(void *block);

void free(void *block) {
    if (block == NULL) return;
    explicit_bzero(block, malloc_usable_size(block));
    __libc_free(block);
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
