import Synchronization
import TillCore
import TillJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The liveness of the processes that have opened a journal.
///
/// Each opening has a number and holds a lock on the byte of that number in a file beside the journal. The kernel
/// releases the lock when the process ends, however it ends, so a lock is proof of life. Such locks belong to a process
/// and are released when it closes any descriptor of the file: the whole process therefore shares one descriptor per
/// file, and a table of its own numbers, which the kernel does not report.
///
/// The file also holds each owner's ``Beat``, which the owner increments while it runs; see ``Lease``. It is not
/// synced: after a power failure no process is left.
final class OwnerFile: Sendable {
    /// The heartbeat count of an owner, and the silence its lease permits.
    struct Beat: Hashable {
        var count: UInt64
        var lease: Span

        static let size = 2 * MemoryLayout<UInt64>.size
    }

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

    /// Opens the file, or reuses the descriptor that the process already has.
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

    /// Runs `body` in mutual exclusion with every other opener, in this process or another.
    func alone<Value>(_ body: () throws -> Value) throws -> Value {
        try OwnerFile.opening.withLock { _ in
            guard lock(byte: 0, type: Int32(F_WRLCK), command: F_SETLKW) else {
                throw JournalError.unavailable("the lock of those who open it cannot be taken (errno \(errno))")
            }
            defer { lock(byte: 0, type: Int32(F_UNLCK), command: F_SETLK) }
            return try body()
        }
    }

    /// Marks the owner as alive, until ``release(_:)`` or the end of the process.
    func take(_ owner: Int64) throws(JournalError) {
        guard lock(byte: owner, type: Int32(F_WRLCK), command: F_SETLK) else {
            throw .unavailable("the lock of process \(owner) cannot be taken (errno \(errno))")
        }
        OwnerFile.files.withLock { _ = $0[identity]?.owners.insert(owner) }
    }

    /// Marks the owner as dead, and closes the file after its last owner.
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

    /// `true` if any live process has the journal open, including this one.
    var isInUse: Bool {
        if OwnerFile.files.withLock({ $0[identity]?.owners.isEmpty == false }) { return true }
        // From the first owner's byte on, for any number of owners.
        var region = region(byte: 1, type: Int32(F_WRLCK))
        region.l_len = 0
        guard fcntl(descriptor, F_GETLK, &region) == 0 else { return true }
        return Int32(region.l_type) != Int32(F_UNLCK)
    }

    /// Increments the heartbeat of an owner of this process and stores its lease.
    /// - Returns: `false` if the number is no longer this process's, or the file cannot be written.
    @discardableResult
    func beat(_ owner: Int64, lease: Span) -> Bool {
        OwnerFile.files.withLock { files in
            // A released number has no descriptor either: it may belong to another file by now.
            guard let entry = files[identity], entry.owners.contains(owner) else { return false }
            let count = (OwnerFile.beat(of: owner, in: entry.descriptor)?.count ?? 0) &+ 1
            let words = [count.littleEndian, UInt64(clamping: lease.milliseconds).littleEndian]
            return words.withUnsafeBytes {
                pwrite(entry.descriptor, $0.baseAddress, $0.count, OwnerFile.place(of: owner)) == $0.count
            }
        }
    }

    /// Returns the latest heartbeat of an owner; `nil` if it has none, like one of an earlier version.
    func lastBeat(of owner: Int64) -> Beat? {
        OwnerFile.files.withLock { files in files[identity].flatMap { OwnerFile.beat(of: owner, in: $0.descriptor) } }
    }

    /// Returns the owners with a locked byte, which are those of live processes.
    func living() -> [Int64] {
        OwnerFile.files.withLock { files in
            guard let entry = files[identity] else { return [] }
            var found = Array(entry.owners)
            // The kernel reports one conflicting lock, so the ranges before and after it are queried too.
            var ranges: [(Int64, Int64)] = [(1, OwnerFile.highestNumber)]
            while let (first, last) = ranges.popLast(), first <= last, found.count < OwnerFile.mostOwners {
                var region = region(byte: first, type: Int32(F_WRLCK), length: last - first + 1)
                guard fcntl(entry.descriptor, F_GETLK, &region) == 0, Int32(region.l_type) != Int32(F_UNLCK) else {
                    continue
                }
                let owner = Int64(region.l_start)
                found.append(owner)
                ranges.append((first, owner - 1))
                ranges.append((owner + 1, last))
            }
            return found
        }
    }

    /// The maximum number of observed processes; any beyond it lose their locks only by their deaths.
    private static let mostOwners = 1_024
    /// A bound above every number that a journal assigns.
    private static let highestNumber: Int64 = 1 << 48

    private static func place(of owner: Int64) -> off_t { off_t(owner &* Int64(Beat.size)) }

    private static func beat(of owner: Int64, in descriptor: Int32) -> Beat? {
        var words: [UInt64] = [0, 0]
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, place(of: owner)) }
        guard count == Beat.size, words[0] != 0 else { return nil }
        return Beat(
            count: UInt64(littleEndian: words[0]),
            lease: .milliseconds(Int64(clamping: UInt64(littleEndian: words[1]))))
    }

    /// `true` if the process with that number is alive.
    func isAlive(_ owner: Int64) -> Bool {
        if OwnerFile.files.withLock({ $0[identity]?.owners.contains(owner) ?? false }) { return true }
        var region = region(byte: owner, type: Int32(F_WRLCK))
        // If the kernel cannot answer, the process counts as alive, so that its work is not taken over.
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

    private func region(byte: Int64, type: Int32, length: Int64 = 1) -> flock {
        var region = flock()
        region.l_type = Int16(truncatingIfNeeded: type)
        region.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        region.l_start = off_t(byte)
        region.l_len = off_t(length)
        return region
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
