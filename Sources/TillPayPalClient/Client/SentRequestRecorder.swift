internal import Foundation
internal import Synchronization
public import TillCore

/// Keeps what is about to be sent, before it is sent, so that after a crash the same request goes out under the same
/// key, and never under a key that PayPal has forgotten.
public protocol SentRequestRecorder: Sendable {
    /// Writes a key down durably, unless it is there already.
    /// - Returns: when the key was recorded first.
    /// - Throws: if it cannot be written; then nothing is sent.
    func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp
}

/// For clients whose calls need no key.
package struct NoSentRequests: SentRequestRecorder {
    package init() {}
    package func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp { now }
}

/// In memory: for tests and for keys that something else has recorded already.
public final class MemorySentRequests: SentRequestRecorder {
    private let keys = Mutex<[IdempotencyKey: Timestamp]>([:])
    /// A recorder that has seen no request.
    public init() {}
    /// Keeps a key for as long as this object lives; nothing is durable.
    /// - Returns: when the key was kept first.
    public func willSend(_ key: IdempotencyKey, call: String, at now: Timestamp) async throws -> Timestamp {
        keys.withLock { keys in
            if let first = keys[key] { return first }
            keys[key] = now
            return now
        }
    }
}

/// In a file, one line a request, forced to the disk before the call returns. For one process.
public actor FileSentRequests: SentRequestRecorder {
    /// The largest file that is read.
    public static let maximumBytes = 64 << 20

    /// Why a request could not be recorded.
    public enum Fault: Error, Sendable {
        /// The file cannot be opened, read or written.
        case unusable(String)
        /// The file has grown beyond ``maximumBytes``.
        case full
    }

    private let file: FileHandle
    private var keys: [String: Timestamp] = [:]
    private var size: Int

    /// Opens or makes the file. A line that a crash has cut off is left out.
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

    /// Writes a key down, unless it is there already, and returns once the disk has it.
    /// - Returns: when the key was recorded first.
    /// - Throws: ``Fault/full``, or what the file system says; then nothing may be sent.
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
