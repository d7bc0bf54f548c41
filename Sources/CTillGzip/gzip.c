#include "till_gzip.h"

#include <limits.h>
#include <string.h>

// What is read is const.
#define ZLIB_CONST
#include <zlib.h>

// The largest window of deflate, 32 kB, and 16 for gzip's head and check sum around it.
#define TILL_GZIP_WINDOW (15 + 16)
// zlib's own default.
#define TILL_GZIP_MEMORY 8

size_t till_gzip(const uint8_t *bytes, size_t size, uint8_t *packed, size_t capacity) {
    if (bytes == NULL || packed == NULL || size == 0 || capacity == 0) return 0;
    if (size > UINT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, TILL_GZIP_WINDOW, TILL_GZIP_MEMORY, Z_DEFAULT_STRATEGY)
        != Z_OK) {
        return 0;
    }
    stream.next_in = bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)capacity;
    const int end = deflate(&stream, Z_FINISH);
    const size_t written = capacity - stream.avail_out;
    deflateEnd(&stream);
    return end == Z_STREAM_END ? written : 0;
}
