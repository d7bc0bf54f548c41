import Foundation

/// An unnamed temporary file: it disappears however the process ends, and no other process can open it.
///
/// Safe to share: the only state is the descriptor, which stays open for the lifetime of the object, and the kernel
/// serializes appending writes.
final class ScratchFile: Sendable {
    private static let mode: mode_t = 0o600
    private let descriptor: Int32

    /// - Throws: `StatementError` if the file cannot be created in the temporary folder.
    init() throws(StatementError) {
        let folder = FileManager.default.temporaryDirectory.path
        let path = "\(folder)/till-statement-\(UUID().uuidString)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, ScratchFile.mode)
        guard descriptor >= 0 else { throw ScratchFile.failure("no file could be made in \(folder)") }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// Appends all bytes.
    func append(_ bytes: [UInt8]) throws(StatementError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw ScratchFile.failure("the disk does not take it") }
            rest = rest.dropFirst(written)
        }
    }

    /// Returns all appended bytes.
    func contents() throws(StatementError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size >= 0, status.st_size <= StatementLimits.maximumBytes
        else {
            throw ScratchFile.failure("it cannot be read back")
        }
        let size = Int(status.st_size)
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let read = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
            isWhole = count == size
        }
        guard isWhole else { throw ScratchFile.failure("it cannot be read back") }
        return bytes
    }

    private static func failure(_ what: String) -> StatementError {
        StatementError("\(what) (\(String(cString: strerror(errno))))", remedy: .askAgain)
    }
}
