internal import Foundation
public import TillCore

/// Records each request before it is sent, so that after a crash the same request is sent with the same idempotency
/// key, and never with one that PayPal no longer remembers.
public protocol SentRequestRecorder: Sendable {
    /// Records a key durably, unless it is already recorded.
    /// - Returns: the time of the first recording.
    /// - Throws: an error if the key cannot be written; nothing is sent then.
    func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp
}

/// A recorder for clients with calls that need no key.
package struct NoSentRequests: SentRequestRecorder {
    package init() {}
    package func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp { now }
}

/// An in-memory recorder for tests, and for keys recorded elsewhere.
public final class MemorySentRequests: SentRequestRecorder {
    private let keys = Guarded<[IdempotencyKey: Timestamp]>([:])
    /// Creates an empty recorder.
    public init() {}
    /// Keeps a key for the lifetime of this object; not durable.
    /// - Returns: the time of the first recording.
    public func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp {
        keys.withLock { keys in
            if let first = keys[key] { return first }
            keys[key] = now
            return now
        }
    }
}

/// A file-based recorder with one line per request, synced to disk before the call returns. For a single process.
public actor FileSentRequests: SentRequestRecorder {
    /// Maximum file size read, in bytes.
    public static let maximumBytes = 64 << 20

    /// An error for a request that could not be recorded.
    public enum Fault: Error, Sendable {
        /// The file cannot be opened, read or written.
        case unusable(String)
        /// The file exceeds ``maximumBytes``.
        case full
    }

    private let file: FileHandle
    private var keys: [String: Timestamp] = [:]
    private var size: Int

    /// Opens or creates the file. A line truncated by a crash is ignored.
    /// - Throws: ``Fault``.
    public init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw Fault.unusable(path) }
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw Fault.unusable(path) }
        let data = try file.read(upToCount: FileSentRequests.maximumBytes + 1) ?? Data()
        guard data.count <= FileSentRequests.maximumBytes else { throw Fault.full }
        var keys: [String: Timestamp] = [:]
        for line in data.split(separator: 0x0A) {
            guard let json = JSONValue(ifValid: Array(line)), let key = json["key"]?.stringValue,
                let at = json["at"]?.int64Value, keys[key] == nil
            else { continue }
            keys[key] = Timestamp(milliseconds: at)
        }
        self.file = file
        self.keys = keys
        size = data.count
        if let last = data.last, last != 0x0A { try file.write(contentsOf: Data([0x0A])) }
    }

    /// Records a key unless present, and returns once it is on disk.
    /// - Returns: the time of the first recording.
    /// - Throws: ``Fault/full``, or the file system's error; nothing may be sent then.
    public func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp {
        if let first = keys[key.rawValue] { return first }
        let line = JSONValue.members([
            "key": .string(key.rawValue), "call": .string(call), "at": .number(String(now.milliseconds)),
        ]).bytes()
        guard size + line.count < FileSentRequests.maximumBytes else { throw Fault.full }
        try file.write(contentsOf: Data(line + [0x0A]))
        try file.synchronize()
        size += line.count + 1
        keys[key.rawValue] = now
        return now
    }
}
