import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Who of the processes that have opened a journal still lives.
///
/// Each opening has a number and holds a lock on the byte of that number in a file beside the journal. The kernel
/// releases the lock when the process ends, however it ends, so a lock is proof of life. Such locks belong to a
/// process and die when it closes any descriptor of the file: so there is one descriptor a file in the whole process,
/// and a table of the numbers that are its own, which the kernel does not report.
final class OwnerFile: Sendable {
    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    private struct Entry {
        var descriptor: Int32
        var uses: Int
        var owners: Set<Int64>
    }

    private static let files = Mutex<[Identity: Entry]>([:])
    private static let opening = Mutex<Void>(())

    private let identity: Identity
    private let descriptor: Int32

    private init(identity: Identity, descriptor: Int32) {
        self.identity = identity
        self.descriptor = descriptor
    }

    /// Opens the file, or takes the descriptor that the process has already.
    static func open(_ path: String) throws(JournalError) -> OwnerFile {
        let result = files.withLock { files -> Result<OwnerFile, JournalError> in
            if let identity = identity(of: path), var entry = files[identity] {
                entry.uses += 1
                files[identity] = entry
                return .success(OwnerFile(identity: identity, descriptor: entry.descriptor))
            }
            #if canImport(Darwin)
                let descriptor = Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #elseif canImport(Musl)
                let descriptor = Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #else
                let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #endif
            guard descriptor >= 0, let identity = identity(of: path) else {
                return .failure(.unavailable("\(path) cannot be opened (errno \(errno))"))
            }
            files[identity] = Entry(descriptor: descriptor, uses: 1, owners: [])
            return .success(OwnerFile(identity: identity, descriptor: descriptor))
        }
        return try result.get()
    }

    /// Runs while no other opener, in this process or another, does the same.
    func alone<Value>(_ body: () throws -> Value) throws -> Value {
        try OwnerFile.opening.withLock { _ in
            lock(byte: 0, type: Int32(F_WRLCK), command: F_SETLKW)
            defer { lock(byte: 0, type: Int32(F_UNLCK), command: F_SETLK) }
            return try body()
        }
    }

    /// Says that the owner lives, until ``release(_:)`` or the end of the process.
    func take(_ owner: Int64) throws(JournalError) {
        guard lock(byte: owner, type: Int32(F_WRLCK), command: F_SETLK) else {
            throw .unavailable("the lock of process \(owner) cannot be taken (errno \(errno))")
        }
        OwnerFile.files.withLock { _ = $0[identity]?.owners.insert(owner) }
    }

    /// Lets the owner die, and closes the file after its last.
    func release(_ owner: Int64?) {
        OwnerFile.files.withLock { files in
            guard var entry = files[identity] else { return }
            if let owner {
                lock(byte: owner, type: Int32(F_UNLCK), command: F_SETLK)
                entry.owners.remove(owner)
            }
            entry.uses -= 1
            files[identity] = entry.uses > 0 ? entry : nil
            if entry.uses <= 0 { close(descriptor) }
        }
    }

    /// Whether the process of that number lives.
    func isAlive(_ owner: Int64) -> Bool {
        if OwnerFile.files.withLock({ $0[identity]?.owners.contains(owner) ?? false }) { return true }
        var region = region(byte: owner, type: Int32(F_WRLCK))
        // If the kernel cannot say, nobody is robbed of work that may be his.
        guard fcntl(descriptor, F_GETLK, &region) == 0 else { return true }
        return Int32(region.l_type) != Int32(F_UNLCK)
    }

    @discardableResult
    private func lock(byte: Int64, type: Int32, command: Int32) -> Bool {
        var region = region(byte: byte, type: type)
        while fcntl(descriptor, command, &region) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private func region(byte: Int64, type: Int32) -> flock {
        var region = flock()
        region.l_type = Int16(truncatingIfNeeded: type)
        region.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        region.l_start = off_t(byte)
        region.l_len = 1
        return region
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
