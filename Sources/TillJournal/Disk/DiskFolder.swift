public import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder of the file system. New and renamed files are made durable together with the folder's entry.
public struct DiskFolder: DurableFolder {
    public let path: String

    /// Refers to a folder; it is created with its first file.
    public init(path: String) { self.path = path }

    /// Opens a file, readable by its owner only.
    public func open(_ name: String, creating: Bool) throws(DurableFileError) -> (any DurableFile)? {
        let whole = path + "/" + name
        var descriptor = DiskFolder.openRetrying(whole, O_RDWR | O_CLOEXEC, 0)
        if descriptor < 0, errno == ENOENT {
            guard creating else { return nil }
            mkdir(path, 0o700)
            descriptor = DiskFolder.openRetrying(whole, O_RDWR | O_CLOEXEC | O_CREAT, 0o600)
            if descriptor >= 0 { try syncEntries() }
        }
        guard descriptor >= 0 else { throw .last("open") }
        return DiskFile(descriptor: descriptor, path: whole)
    }

    /// Renames a file and syncs the folder.
    public func replace(_ name: String, with other: String) throws(DurableFileError) {
        guard rename(path + "/" + other, path + "/" + name) == 0 else { throw .last("rename") }
        try syncEntries()
    }

    /// Unlinks a file and syncs the folder.
    public func remove(_ name: String) throws(DurableFileError) {
        guard unlink(path + "/" + name) == 0 || errno == ENOENT else { throw .last("unlink") }
        try syncEntries()
    }

    /// Makes creations, renames and deletions in the folder durable.
    func syncEntries() throws(DurableFileError) {
        let folder = DiskFolder.openRetrying(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0)
        guard folder >= 0 else { throw .last("open") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .last("sync") }
    }

    private static func openRetrying(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        while true {
            let descriptor = open(path, flags, mode)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, mode)
        #elseif canImport(Musl)
            Musl.open(path, flags, mode)
        #else
            Darwin.open(path, flags, mode)
        #endif
    }
}

extension DurableFileError {
    static func last(_ operation: String) -> DurableFileError {
        DurableFileError(operation: operation, reason: String(cString: strerror(errno)))
    }
}
