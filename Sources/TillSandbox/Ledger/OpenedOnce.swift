import Foundation
import GRDB
import Synchronization

/// A database that is opened by its first use: a counter that never simulates money has no file for it, and none waits
/// for it while it starts.
final class OpenedOnce<Store: Sendable>: Sendable {
    private let opened = Mutex<Store?>(nil)
    private let open: @Sendable () throws -> Store

    init(_ open: @escaping @Sendable () throws -> Store) { self.open = open }

    /// Returns the database, opening it if necessary. Concurrent callers wait for it; a failed attempt is repeated by
    /// the next call.
    /// - Throws: ``SandboxUnopened``.
    func callAsFunction() throws(SandboxUnopened) -> Store {
        let result: Result<Store, SandboxUnopened> = opened.withLock { opened in
            if let opened { return .success(opened) }
            do {
                let new = try openedBesideOthers()
                opened = new
                return .success(new)
            } catch {
                return .failure(SandboxUnopened(reason: "\(error)"))
            }
        }
        return try result.get()
    }

    /// Opens the file, again while another process is making it write-ahead: SQLite refuses the second of two such
    /// changes at once, without waiting for its busy timeout.
    private func openedBesideOthers() throws -> Store {
        let end = ContinuousClock.now + OpenedOnce.patience
        while true {
            do {
                return try open()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: OpenedOnce.pause)
            }
        }
    }

    /// The time within which an occupied file is tried again.
    private static var patience: Duration { .seconds(5) }
    /// The pause between two openings, in seconds.
    private static var pause: TimeInterval { 0.01 }
}

/// The failure to open a file of the sandbox. Nothing was charged.
struct SandboxUnopened: Error {
    let reason: String
}
