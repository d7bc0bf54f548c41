import HummingbirdCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The number of connections that the open-file limit allows, and its division among the listeners.
public struct ConnectionBudget: Hashable, Sendable {
    /// The file descriptors reserved for a sale's needs besides its own connection: the journal and its readers,
    /// connections to providers, printers and mail servers, the journal's copy, the log, the event loops.
    public static let reserve = 96
    /// The number of accepted connections of a listener beyond its limit while others are being closed for them.
    package static let closing = 16
    /// The number of connections of a listener reserved for operators' probes.
    static let probes = 4
    /// The default maximum number of connections of all listeners.
    static let defaultMaximum = 4_096
    /// The minimum number of connections, however low the system's limit.
    static let fewest = 16
    /// The maximum open-file limit requested for the process.
    static let mostFiles: UInt64 = 65_536

    /// The number of concurrent connections of all listeners.
    package let all: Int

    /// - Parameters:
    ///   - files: The open-file limit of the process.
    ///   - listeners: The number of listeners.
    ///   - set: The configured number of connections; `nil` for as many as the file limit allows, at most
    ///     ``defaultMaximum``.
    package init(files: Int, set: Int?, listeners: Int) {
        let left = files - ConnectionBudget.reserve - listeners * ConnectionBudget.closing
        all = max(ConnectionBudget.fewest, min(set ?? ConnectionBudget.defaultMaximum, left))
    }

    /// Returns a listener's share. The public listener gets a third; the shop's own keeps the larger part.
    func places(
        ofPublic isPublic: Bool, hasPublic: Bool, perAddress: Int, perNearAddress: Int?
    ) -> ConnectionGate.Places {
        let publicShare = hasPublic ? all / 3 : 0
        let share = (isPublic ? publicShare : all - publicShare) - (isPublic ? 0 : ConnectionBudget.probes)
        return ConnectionGate.Places(
            all: share, perAddress: min(perAddress, share), perNearAddress: min(perNearAddress ?? share, share),
            forProbes: isPublic ? 0 : ConnectionBudget.probes)
    }

    /// Raises the process's open-file limit as far as permitted and returns it.
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

/// Stops accepting while the listener is at its limit: further connections wait in the system's backlog until another
/// closes, and the process never runs out of file descriptors.
struct AcceptLimit: AvailableConnectionsDelegate {
    private let most: Int
    private var open = 0

    init(_ places: ConnectionGate.Places) { most = places.all + places.forProbes + ConnectionBudget.closing }

    mutating func connectionOpened() { open += 1 }
    mutating func connectionClosed() { open -= 1 }
    func isAcceptingNewConnections() -> Bool { open < most }
}
