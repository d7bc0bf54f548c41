package import Logging
package import NIOCore
import Synchronization
package import TillCounter

/// Admits connections up to the limits. At a limit the longest idle connection without a request in progress is closed
/// to make room; if there is none, a few reserved connections serve only operators' probes.
package final class ConnectionGate: Sendable {
    /// The connection limits.
    package struct Places: Hashable, Sendable {
        /// In total, without those for probes.
        package var all: Int
        /// For each client address.
        var perAddress: Int
        /// For each loopback or trusted proxy address.
        var perNearAddress: Int
        /// Reserved for probes.
        var forProbes: Int
    }

    /// The reason that a connection was refused or closed.
    package enum Reason: String, CaseIterable, Sendable {
        /// All connections are in use, and none could make room.
        case full
        /// The address is at its limit.
        case address
        /// It was closed as the longest idle when another needed room.
        case madeRoom = "made_room"
        /// A request other than a probe on a connection reserved for probes.
        case notAProbe = "not_a_probe"
        /// A request head or TLS handshake took too long.
        case slowHead = "slow_head"
        case slowBody = "slow_body"
        /// No request arrived before the idle timeout.
        case idle
        /// A response was not read.
        case unreadAnswer = "unread_answer"
        /// An unread request body was too long.
        case unwantedBody = "unwanted_body"

        /// `true` if it counts as a refusal; `false` if an established connection is closed.
        var isRefusal: Bool { self == .full || self == .address || self == .notAProbe || self == .madeRoom }
    }

    /// The minimum interval between log lines.
    static let logInterval = TimeAmount.minutes(1)
    /// The number of candidates tried when a connection chosen to make room begins a request at the same moment.
    private static let attempts = 8

    private struct State {
        var places: [ObjectIdentifier: ConnectionPlace] = [:]
        var byAddress: [ClientAddress: Int] = [:]
        var probes = 0
        var counts: [Reason: Int] = [:]
        var loggedAt: NIODeadline?
        var sinceLogged = 0
    }

    package let name: String
    let places: Places
    private let isNear: @Sendable (ClientAddress) -> Bool
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: The listener's name in the log and metrics.
    ///   - isNear: Returns `true` for a loopback or trusted proxy address, which may stand for many clients.
    package init(
        _ name: String, places: Places, logger: Logger, isNear: @escaping @Sendable (ClientAddress) -> Bool
    ) {
        self.name = name
        self.places = places
        self.logger = logger
        self.isNear = isNear
    }

    /// Admits a connection; `nil` if it is refused. Release the place with ``leave(_:)``.
    /// - Parameter close: Closes the connection at once; callable from any thread.
    package func enter(
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

    /// Releases the place of a closed connection.
    package func leave(_ place: ConnectionPlace) { state.withLock { ConnectionGate.remove(place, from: &$0) } }

    private static func remove(_ place: ConnectionPlace, from state: inout State) {
        guard state.places.removeValue(forKey: ObjectIdentifier(place)) != nil else { return }
        if place.isForProbes { return state.probes -= 1 }
        let left = state.byAddress[place.address, default: 0] - 1
        state.byAddress[place.address] = left > 0 ? left : nil
    }

    /// Counts a refusal or closure. The log reports refusals, at most once in ``logInterval``.
    package func count(_ reason: Reason, at now: NIODeadline = .now()) {
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

    /// The number of open connections.
    package var open: Int { state.withLock { $0.places.count } }

    /// The count of each reason.
    package var counts: [Reason: Int] { state.withLock { $0.counts } }
}

extension PrometheusText {
    /// Writes the connection metrics of all listeners.
    package mutating func connections(_ gates: [ConnectionGate]) {
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
