#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// New files that only their owner may read, from their creation and regardless of the process's umask. A file
/// restricted only after its creation can be opened in between and remain readable through that descriptor.
package enum ClosedFile {
    private static let mode: mode_t = 0o600

    /// Creates a file durably.
    /// - Returns: `false` if a file or link exists already, or if it cannot be created or written; no file is left
    ///   then.
    package static func make(_ path: String, _ bytes: [UInt8] = []) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard file >= 0 else { return false }
        let isWritten = append(bytes[...], to: file) && fsync(file) == 0
        guard close(file) == 0, isWritten else {
            unlink(path)
            return false
        }
        return true
    }

    /// Creates a file with the contents of another.
    /// - Returns: `false` as for ``make(_:_:)``, and if the source cannot be read.
    package static func copy(_ source: String, to path: String) -> Bool {
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { return false }
        defer { close(from) }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard file >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var isWhole = false
        while true {
            let count = buffer.withUnsafeMutableBytes { read(from, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            isWhole = count == 0
            guard count > 0, append(buffer.prefix(count), to: file) else { break }
        }
        isWhole = isWhole && fsync(file) == 0
        guard close(file) == 0, isWhole else {
            unlink(path)
            return false
        }
        return true
    }

    private static func append(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
