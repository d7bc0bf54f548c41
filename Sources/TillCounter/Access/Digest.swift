import Crypto

/// Returns the SHA-256 of bytes. Bytes that lie together, as those of texts and arrays do, are read where they are.
package func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.withContiguousStorageIfAvailable { sha256(of: UnsafeRawBufferPointer($0)) }
        ?? Array(bytes).withUnsafeBytes { sha256(of: $0) }
}

private func sha256(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    hash.update(bufferPointer: bytes)
    return hash.finalize().withUnsafeBytes { Array($0) }
}
