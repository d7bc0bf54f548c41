import Foundation
public import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of a ``HeadSigningKey``, readable only by its owner, and that of its public key beside it.
public enum HeadKeyFile {
    /// The maximum size of a key file, in bytes.
    public static let maximumBytes = 4_096
    /// The suffix of the public key's file name.
    public static let publicSuffix = ".pub"

    /// Creates a new key: the private one at `path`, mode 0600, the public one beside it with ``publicSuffix``. Both
    /// are durable when it returns; an existing file is never overwritten.
    /// - Throws: ``HeadKeyFileError``
    @discardableResult
    public static func make(at path: String) throws(HeadKeyFileError) -> HeadSigningKey {
        let key = HeadSigningKey()
        try create(path, key.pem.reveal(), mode: 0o600)
        try create(path + publicSuffix, key.verifyingKey.pem, mode: 0o644)
        return key
    }

    /// Reads a private key that only its owner may read or write.
    /// - Throws: ``HeadKeyFileError``
    public static func signingKey(at path: String) throws(HeadKeyFileError) -> HeadSigningKey {
        let text = try read(path, isPrivate: true)
        do { return try HeadSigningKey(pem: Secret(text)) } catch { throw .key(path, error) }
    }

    /// Reads a public key.
    /// - Throws: ``HeadKeyFileError``
    public static func verifyingKey(at path: String) throws(HeadKeyFileError) -> HeadVerifyingKey {
        let text = try read(path, isPrivate: false)
        do { return try HeadVerifyingKey(pem: text) } catch { throw .key(path, error) }
    }

    /// Writes a new file durably.
    /// - Throws: ``HeadKeyFileError/exists(_:)``, also for a dangling link, or ``HeadKeyFileError/disk(_:_:)``.
    public static func create(_ path: String, _ text: String, mode: UInt16) throws(HeadKeyFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else {
            guard errno != EEXIST else { throw .exists(path) }
            throw .disk(path, DurableFileError.last("open"))
        }
        let file = DiskFile(descriptor: descriptor, path: path)
        do throws(DurableFileError) {
            try file.write(Array(text.utf8), at: 0)
            try file.sync()
            try DiskFolder(path: URL(fileURLWithPath: path).deletingLastPathComponent().path).syncEntries()
        } catch {
            unlink(path)
            throw .disk(path, error)
        }
    }

    private static func read(_ path: String, isPrivate: Bool) throws(HeadKeyFileError) -> String {
        // Non-blocking, so that a pipe cannot stall the command.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .disk(path, DurableFileError.last("open")) }
        let file = DiskFile(descriptor: descriptor, path: path)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .disk(path, DurableFileError.last("read")) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .key(path, .unusableKey) }
        guard !isPrivate || status.st_mode & 0o077 == 0 else { throw .readableByOthers(path) }
        let bytes: [UInt8]
        do { bytes = try file.read(at: 0, count: maximumBytes + 1) } catch { throw .disk(path, error) }
        guard bytes.count <= maximumBytes else { throw .key(path, .unusableKey) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason a key file is rejected or not created.
public enum HeadKeyFileError: Error, Hashable, Sendable {
    /// Others may read or write the private key, so it is not secret.
    case readableByOthers(String)
    /// The file already exists.
    case exists(String)
    case key(String, SignedHeadError)
    case disk(String, DurableFileError)
}

extension HeadKeyFileError: ExplainedError {
    public var code: String {
        switch self {
        case .readableByOthers: "signing_key_exposed"
        case .exists: "file_exists"
        case .key(_, let error): error.code
        case .disk: "file_unusable"
        }
    }

    public var what: String {
        switch self {
        case .readableByOthers(let path): "Others may read the signing key \(path): a signature by it proves nothing."
        case .exists(let path): "There is a file at \(path) already, and it is not replaced."
        case .key(let path, let error): "\(path): \(error.what)"
        case .disk(let path, let error): "\(path) cannot be used: \(error)"
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .readableByOthers(let path):
            "Make a new key with `till journal head --new-key FILE`; if nobody has read this one, `chmod 600 \(path)`."
        case .exists: "Name a new file."
        case .key(_, let error): error.next
        case .disk: "Check the name, the rights and the disk."
        }
    }
}
