import Logging
import NIOCore
import Synchronization

/// Lets connections in as long as there are places. Where there is none, the connection that has waited longest without
/// a request in progress makes room; where none can, a few places are left that only operators' probes get.
final class ConnectionGate: Sendable {
    /// How many connections there may be.
    struct Places: Hashable, Sendable {
        /// In all, without those for probes.
        var all: Int
        /// Those that one address may have at once.
        var perAddress: Int
        /// Of one address of this machine, or of a trusted proxy.
        var perNearAddress: Int
        /// That only probes get.
        var forProbes: Int
    }

    /// Why a connection was not let in, or was closed.
    enum Reason: String, CaseIterable, Sendable {
        /// All places are taken, and no connection could make room.
        case full
        /// One address has as many as it may have.
        case address
        /// It waited longest when another one needed its place.
        case madeRoom = "made_room"
        /// A place for probes, and no probe.
        case notAProbe = "not_a_probe"
        /// A head or a TLS handshake took too long.
        case slowHead = "slow_head"
        case slowBody = "slow_body"
        /// It said nothing between requests.
        case idle
        /// An answer was not read.
        case unreadAnswer = "unread_answer"
        /// A body that no route wanted was too long.
        case unwantedBody = "unwanted_body"

        /// Whether nobody was let in, as against one that was and is closed.
        var isRefusal: Bool { self == .full || self == .address || self == .notAProbe || self == .madeRoom }
    }

    /// How often the log reports it at most.
    static let logInterval = TimeAmount.minutes(1)
    /// How many connections are tried when those that could make room begin requests at the same moment.
    private static let attempts = 8

    private struct State {
        var places: [ObjectIdentifier: ConnectionPlace] = [:]
        var byAddress: [ClientAddress: Int] = [:]
        var probes = 0
        var counts: [Reason: Int] = [:]
        var loggedAt: NIODeadline?
        var sinceLogged = 0
    }

    let name: String
    let places: Places
    private let isNear: @Sendable (ClientAddress) -> Bool
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the listener's, for the log and the metrics.
    ///   - isNear: whether an address is of this machine or of a trusted proxy, behind which many clients are.
    init(
        _ name: String, places: Places, logger: Logger, isNear: @escaping @Sendable (ClientAddress) -> Bool
    ) {
        self.name = name
        self.places = places
        self.logger = logger
        self.isNear = isNear
    }

    /// A place for a connection; `nil` if there is none for it. To be returned with ``leave(_:)``.
    /// - Parameter close: closes the connection at once; from any thread.
    func enter(
        _ peer: ClientAddress, at now: NIODeadline = .now(), close: @escaping @Sendable () -> Void
    ) -> ConnectionPlace? {
        let address = peer.household
        let most = isNear(peer) ? places.perNearAddress : places.perAddress
        let found = state.withLock { state -> (place: ConnectionPlace?, reason: Reason?) in
            func makeRoom(_ isCandidate: (ConnectionPlace) -> Bool) -> Bool {
                for _ in 0..<ConnectionGate.attempts {
                    var best: (place: ConnectionPlace, readiness: ConnectionPlace.Readiness)?
                    for place in state.places.values where isCandidate(place) {
                        guard let readiness = place.readiness(at: now) else { continue }
                        if let known = best, known.readiness <= readiness { continue }
                        best = (place, readiness)
                    }
                    guard let best else { return false }
                    guard best.place.take(at: now) else { continue }
                    ConnectionGate.remove(best.place, from: &state)
                    return true
                }
                return false
            }
            func admit(forProbes: Bool) -> ConnectionPlace {
                let place = ConnectionPlace(address, isForProbes: forProbes, at: now, close: close)
                state.places[ObjectIdentifier(place)] = place
                if forProbes { state.probes += 1 } else { state.byAddress[address, default: 0] += 1 }
                return place
            }
            var reason: Reason?
            if state.byAddress[address, default: 0] >= most {
                reason = makeRoom { !$0.isForProbes && $0.address == address } ? .madeRoom : .address
            } else if state.places.count - state.probes >= places.all {
                reason = makeRoom { !$0.isForProbes } ? .madeRoom : .full
            }
            if reason == nil || reason == .madeRoom { return (admit(forProbes: false), reason) }
            if state.probes < places.forProbes || makeRoom({ $0.isForProbes }) {
                return (admit(forProbes: true), nil)
            }
            return (nil, reason)
        }
        if let reason = found.reason { count(reason, at: now) }
        return found.place
    }

    /// The connection is closed.
    func leave(_ place: ConnectionPlace) { state.withLock { ConnectionGate.remove(place, from: &$0) } }

    private static func remove(_ place: ConnectionPlace, from state: inout State) {
        guard state.places.removeValue(forKey: ObjectIdentifier(place)) != nil else { return }
        if place.isForProbes { return state.probes -= 1 }
        let left = state.byAddress[place.address, default: 0] - 1
        state.byAddress[place.address] = left > 0 ? left : nil
    }

    /// Something was refused or closed. The log reports refusals, at most once in ``logInterval``.
    func count(_ reason: Reason, at now: NIODeadline = .now()) {
        let numbers = state.withLock { state -> (open: Int, refused: Int)? in
            state.counts[reason, default: 0] += 1
            guard reason.isRefusal else { return nil }
            state.sinceLogged += 1
            if let last = state.loggedAt, now - last < ConnectionGate.logInterval { return nil }
            state.loggedAt = now
            defer { state.sinceLogged = 0 }
            return (state.places.count, state.sinceLogged)
        }
        guard let numbers else { return }
        logger.warning(
            "Connections are at their limit: others wait or are closed. Sales in flight continue.",
            metadata: [
                "listener": "\(name)", "open": "\(numbers.open)", "places": "\(places.all)",
                "refused_since_last_line": "\(numbers.refused)", "reason": "\(reason.rawValue)",
            ])
    }

    /// Connections that are open now.
    var open: Int { state.withLock { $0.places.count } }

    /// How often each reason was counted.
    var counts: [Reason: Int] { state.withLock { $0.counts } }
}

extension PrometheusText {
    /// The metrics of all listeners.
    mutating func connections(_ gates: [ConnectionGate]) {
        head("till_connections_open", .gauge, "Connections that are open.")
        for gate in gates { line("till_connections_open", [("listener", gate.name)], gate.open) }
        head("till_connections_limit", .gauge, "The most connections, without the places for probes.")
        for gate in gates { line("till_connections_limit", [("listener", gate.name)], gate.places.all) }
        for (name, help, isRefusal) in [
            ("till_connections_refused_total", "Connections refused, or closed to make room.", true),
            ("till_connections_closed_total", "Connections closed because their time was up.", false),
        ] {
            head(name, .counter, help)
            for gate in gates {
                let counts = gate.counts
                for reason in ConnectionGate.Reason.allCases where reason.isRefusal == isRefusal {
                    line(name, [("listener", gate.name), ("reason", reason.rawValue)], counts[reason] ?? 0)
                }
            }
        }
    }
}
