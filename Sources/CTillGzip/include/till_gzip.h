#ifndef TILL_GZIP_H
#define TILL_GZIP_H

#include <stddef.h>
#include <stdint.h>

/// Compresses `size` bytes to one member of gzip (RFC 1952), without a name and without a time: the same bytes give the
/// same member with one version of zlib.
///
/// Returns the length of what it wrote to `packed`; 0 if that has more than `capacity` bytes, if there are no bytes or
/// more than zlib takes at once, and if there is no memory.
size_t till_gzip(const uint8_t *bytes, size_t size, uint8_t *packed, size_t capacity);

#endif
