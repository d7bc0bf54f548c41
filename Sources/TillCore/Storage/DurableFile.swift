/// A file whose owner decides when its content is durable, passed in so that floors 0 and 1 touch no disk. Calls block;
/// whoever calls them does so on a thread that may wait.
///
/// Guarantees of every implementation:
/// - What was written is read back at once; after ``sync()`` has returned it survives a loss of power, with its length.
/// - What was not synced may be lost, in part or in whole, in any order.
public protocol DurableFile: AnyObject, Sendable {
    /// The length in bytes.
    func size() throws(DurableFileError) -> Int
    /// At most this many bytes from a place; fewer only at the end of the file.
    func read(at offset: Int, count: Int) throws(DurableFileError) -> [UInt8]
    /// Writes all of it at a place.
    func write(_ bytes: [UInt8], at offset: Int) throws(DurableFileError)
    func truncate(to size: Int) throws(DurableFileError)
    /// Returns when all that was written is durable.
    func sync() throws(DurableFileError)
    /// Waits until no other holder, in this process or another, has the file, and takes it. The system drops the lock
    /// when the process dies.
    func lock() throws(DurableFileError)
    /// Gives the file up.
    func unlock()
    /// Whether the name still leads to this file: another process may have put a new one in its place.
    func isCurrent() -> Bool
}

/// A folder of ``DurableFile``s.
public protocol DurableFolder: Sendable {
    /// Opens a file; `nil` if there is none and none shall be made. A new one is in the folder durably.
    func open(_ name: String, creating: Bool) throws(DurableFileError) -> (any DurableFile)?
    /// Puts one file in the place of another, all of it or nothing, durably.
    func replace(_ name: String, with other: String) throws(DurableFileError)
    /// Removes a file, if it is there.
    func remove(_ name: String) throws(DurableFileError)
}

/// Why a file did not do what it was asked.
public struct DurableFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried: `write`, `sync`.
    public var operation: String
    /// Why not, in the system's words.
    public var reason: String

    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "\(operation) failed: \(reason)." }
}
