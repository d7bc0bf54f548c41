import Synchronization

/// A database that is opened by its first use: a counter that never simulates money has no file for it, and none waits
/// for it while it starts.
final class OpenedOnce<Database: Sendable>: Sendable {
    private let opened = Mutex<Database?>(nil)
    private let open: @Sendable () throws -> Database

    init(_ open: @escaping @Sendable () throws -> Database) { self.open = open }

    /// Returns the database, opening it if necessary. Concurrent callers wait for it; a failed attempt is repeated by
    /// the next call.
    /// - Throws: ``SandboxUnopened``.
    func callAsFunction() throws(SandboxUnopened) -> Database {
        let result: Result<Database, SandboxUnopened> = opened.withLock { opened in
            if let opened { return .success(opened) }
            do {
                let new = try open()
                opened = new
                return .success(new)
            } catch {
                return .failure(SandboxUnopened(reason: "\(error)"))
            }
        }
        return try result.get()
    }
}

/// The failure to open a file of the sandbox. Nothing was charged.
struct SandboxUnopened: Error {
    let reason: String
}
