package import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file. Its methods may be called from any thread; each is one system call or a loop of one.
package final class DiskFile: DurableFile {
    private let descriptor: Int32
    private let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    package func size() throws(DurableFileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("stat") }
        return Int(status.st_size)
    }

    package func read(at offset: Int, count: Int) throws(DurableFileError) -> [UInt8] {
        guard count > 0, offset >= 0 else { return [] }
        let failure = Failure()
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                guard let base = buffer.baseAddress else { return }
                let got = pread(descriptor, base + filled, count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure.error = .last("read") }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let error = failure.error { throw error }
        return bytes
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(DurableFileError) {
        var written = 0
        while written < bytes.count {
            let put = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    pwrite(descriptor, $0 + written, buffer.count - written, off_t(offset + written))
                } ?? 0
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw .last("write") }
            written += put
        }
    }

    package func truncate(to size: Int) throws(DurableFileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last("truncate") }
    }

    package func sync() throws(DurableFileError) {
        #if canImport(Glibc) || canImport(Musl)
            // The length is metadata that is needed to read the data back, so fdatasync keeps it too.
            guard fdatasync(descriptor) == 0 else { throw .last("sync") }
        #else
            // On Apple's systems only this flushes the drive's own cache.
            guard fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0 else { throw .last("sync") }
        #endif
    }

    /// The maximum wait for another holder of the lock; a live holder releases it within moments.
    static let longestWait: Span = .seconds(30)

    package func lock() throws(DurableFileError) {
        let clock = SystemClock()
        let began = clock.now()
        var pause: UInt32 = 50
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK else { throw .last("lock") }
            guard clock.now().since(began) < DiskFile.longestWait else {
                throw DurableFileError(operation: "lock", reason: "another process has the file")
            }
            usleep(pause)
            pause = min(2_000, pause * 2)
        }
    }

    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    package func isCurrent() -> Bool {
        var mine = stat()
        var named = stat()
        guard fstat(descriptor, &mine) == 0, lstat(path, &named) == 0 else { return false }
        return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
    }

    /// A box for an error inside a closure that cannot throw.
    private final class Failure { var error: DurableFileError? }
}

/// The owner and permissions of a file. Declared here, where only the C library is imported: in a target with more
/// imports, several modules declare `stat`, and which one is found depends on the order of its files.
package struct FileStatus {
    /// The file type, in the bits of `S_IFMT`, and the permissions.
    package let mode: UInt32
    package let owner: UInt32
    /// The number of hard links.
    package let links: UInt64

    /// Reads the status of an open file.
    /// - Returns: `nil` if the system call fails.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of a name in an open folder; a symbolic link is not followed.
    /// - Returns: `nil` if there is no such name, or the system call fails.
    package init?(of name: String, in folder: Int32) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        mode = UInt32(status.st_mode)
        owner = UInt32(status.st_uid)
        links = UInt64(status.st_nlink)
    }
}
