import HummingbirdCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How many connections the limit of open files leaves, and how the listeners share them.
public struct ConnectionBudget: Hashable, Sendable {
    /// Files that are kept for what a sale needs besides its own connection: the journal and its readers, connections
    /// to providers, printers and mail servers, the copy of the journal, the log, what the event loops hold.
    public static let reserve = 96
    /// Connections of a listener that the system has handed over while others are still being closed for them.
    static let closing = 16
    /// Places of a listener that only operators' probes get.
    static let probes = 4
    /// The most connections of all listeners, if nothing else is set.
    static let defaultMaximum = 4_096
    /// The fewest, however little the system allows.
    static let fewest = 16
    /// The files that a process may be allowed at most.
    static let mostFiles: UInt64 = 65_536

    /// Connections of all listeners at once.
    let all: Int

    /// - Parameters:
    ///   - files: how many files the process may have open.
    ///   - listeners: how many share them.
    ///   - set: how many connections are wanted; `nil`: as many as the files allow, and at most ``defaultMaximum``.
    init(files: Int, set: Int?, listeners: Int) {
        let left = files - ConnectionBudget.reserve - listeners * ConnectionBudget.closing
        all = max(ConnectionBudget.fewest, min(set ?? ConnectionBudget.defaultMaximum, left))
    }

    /// The share of the listener for the public, where there is one: the clerk keeps the larger part.
    func places(
        ofPublic isPublic: Bool, hasPublic: Bool, perAddress: Int, perNearAddress: Int?
    ) -> ConnectionGate.Places {
        let publicShare = hasPublic ? all / 3 : 0
        let share = (isPublic ? publicShare : all - publicShare) - (isPublic ? 0 : ConnectionBudget.probes)
        return ConnectionGate.Places(
            all: share, perAddress: min(perAddress, share), perNearAddress: min(perNearAddress ?? share, share),
            forProbes: isPublic ? 0 : ConnectionBudget.probes)
    }

    /// Raises the limit of open files of this process as far as it may, and says what it is then.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return reserve + closing + fewest }
        let wanted = min(limit.rlim_max, rlim_t(mostFiles))
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(files, &raised) == 0 { limit = raised }
        }
        return Int(clamping: min(limit.rlim_cur, rlim_t(mostFiles)))
    }

    #if canImport(Darwin)
        private static var files: Int32 { RLIMIT_NOFILE }
    #elseif canImport(Musl)
        private static var files: Int32 { RLIMIT_NOFILE }
    #else
        private static var files: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif
}

/// Takes no connection from the system while as many are open as the listener may hold: those that come wait in the
/// system's queue for the moment in which another is closed, and the process never runs out of files.
struct AcceptLimit: AvailableConnectionsDelegate {
    private let most: Int
    private var open = 0

    init(_ places: ConnectionGate.Places) { most = places.all + places.forProbes + ConnectionBudget.closing }

    mutating func connectionOpened() { open += 1 }
    mutating func connectionClosed() { open -= 1 }
    func isAcceptingNewConnections() -> Bool { open < most }
}
