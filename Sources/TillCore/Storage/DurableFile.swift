/// A file with explicit durability, injected so that floors 0 and 1 touch no disk. Calls block; the caller makes them
/// on a thread that may wait.
///
/// Guarantees of every implementation:
/// - Written data can be read back immediately; after ``sync()`` has returned it survives a loss of power, with its
///   length.
/// - Data that was not synced may be lost, in part or in whole, in any order.
public protocol DurableFile: AnyObject, Sendable {
    /// The length in bytes.
    func size() throws(DurableFileError) -> Int
    /// Reads at most `count` bytes from an offset; fewer only at the end of the file.
    func read(at offset: Int, count: Int) throws(DurableFileError) -> [UInt8]
    /// Writes all bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) throws(DurableFileError)
    func truncate(to size: Int) throws(DurableFileError)
    /// Returns when all written data is durable.
    func sync() throws(DurableFileError)
    /// Waits until no other holder, in this process or another, has the file locked, and locks it. The system drops the
    /// lock when the process dies.
    func lock() throws(DurableFileError)
    /// Releases the lock.
    func unlock()
    /// Returns `true` if the name still refers to this file: another process may have replaced it.
    func isCurrent() -> Bool
}

/// A folder of ``DurableFile``s.
public protocol DurableFolder: Sendable {
    /// Opens a file; `nil` if there is none and `creating` is `false`. The directory entry of a new file is durable.
    func open(_ name: String, creating: Bool) throws(DurableFileError) -> (any DurableFile)?
    /// Replaces one file with another, atomically and durably.
    func replace(_ name: String, with other: String) throws(DurableFileError)
    /// Removes a file, if it exists.
    func remove(_ name: String) throws(DurableFileError)
}

/// An error of a file operation.
public struct DurableFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted operation: `write`, `sync`.
    public var operation: String
    /// The reason, in the system's words.
    public var reason: String

    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "\(operation) failed: \(reason)." }
}
