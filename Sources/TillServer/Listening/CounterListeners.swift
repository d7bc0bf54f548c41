import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import TillCore

/// Where the counter listens: for the shop, and, where it is set, at a second address for the public, which has only
/// the routes of customers and providers and connections of its own.
struct CounterListeners: Sendable {
    /// The listener that serves everything.
    let main: ConnectionGate
    /// The one for the public.
    let forPublic: ConnectionGate?
    /// Who is believed about clients.
    let origins: OriginReader
    private let options: ServerOptions
    private let logger: Logger

    init(_ options: ServerOptions, logger: Logger) {
        let origins = OriginReader(trusted: options.trustedProxies, allowsPlainHTTP: options.allowsPlainHTTP)
        let hasPublic = options.publicAddress != nil
        let budget = ConnectionBudget(
            files: ConnectionBudget.raise(), set: options.maximumConnections, listeners: hasPublic ? 2 : 1)
        func gate(_ name: String, isPublic: Bool) -> ConnectionGate {
            ConnectionGate(
                name,
                places: budget.places(
                    ofPublic: isPublic, hasPublic: hasPublic, perAddress: options.connectionsPerAddress,
                    perNearAddress: options.connectionsPerNearAddress),
                logger: logger, isNear: { $0.isLoopback || origins.isTrusted($0) })
        }
        main = gate("main", isPublic: false)
        forPublic = hasPublic ? gate("public", isPublic: true) : nil
        self.origins = origins
        self.options = options
        self.logger = logger
    }

    /// The gates of all listeners, the main one first.
    var gates: [ConnectionGate] { [main] + (forPublic.map { [$0] } ?? []) }

    /// Streams of events that may be open at once: never more than half of the connections, so that there is one for a
    /// sale.
    var maximumStreams: Int { max(1, min(options.maximumStreams, main.places.all / 2)) }

    /// What listens; ``ServerOptions/onListening`` is called when all do.
    /// - Parameters:
    ///   - responder: what is asked at each: everything, or what is there for the public.
    ///   - answer: what each request meets, given that.
    func applications(
        _ responder: (Set<RouteAudience>) -> CounterResponder,
        answer: (CounterResponder) -> HTTPChannelHandler.Responder
    ) -> [Application<CounterResponder>] {
        let options = options
        let ready = ListeningPorts(awaits: forPublic == nil ? 1 : 2) { ports in
            if let port = ports[.forPublic] { options.onPublicListening?(port) }
            if let port = ports[.main] { options.onListening?(port) }
        }
        var all = [
            application(main, ListenAddress(host: options.host, port: options.port), responder([]), answer) { port in
                ready.took(port, .main)
            }
        ]
        if let forPublic, let address = options.publicAddress {
            all.append(
                application(forPublic, address, responder(RouteAudience.ofThePublic), answer) {
                    ready.took($0, .forPublic)
                })
        }
        return all
    }

    private func application(
        _ gate: ConnectionGate, _ address: ListenAddress, _ responder: CounterResponder,
        _ answer: (CounterResponder) -> HTTPChannelHandler.Responder, onListening: @escaping @Sendable (Int) -> Void
    ) -> Application<CounterResponder> {
        let channel = ListenerChannel(
            responder: answer(responder), gate: gate, deadlines: ConnectionDeadlines(options), tls: options.tls,
            // Twice what is taken: between the two the answer says what was wrong, beyond them it is a bare 400.
            decoder: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 2 * HeadLimits.fieldBytes, maxHeaderListSize: 2 * HeadLimits.bytes,
                maxHeaderFieldCount: 2 * HeadLimits.fields))
        return Application(
            responder: responder, server: HTTPServerBuilder { _ in channel },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: nil,
                availableConnectionsDelegate: AcceptLimit(gate.places)),
            onServerRunning: { onListening($0.localAddress?.port ?? address.port) }, logger: logger)
    }
}

/// Collects the ports that were taken until all listeners have one.
private final class ListeningPorts: Sendable {
    enum Listener: Hashable { case main, forPublic }

    private let ports = Mutex<[Listener: Int]>([:])
    private let awaits: Int
    private let onAll: @Sendable ([Listener: Int]) -> Void

    init(awaits: Int, onAll: @escaping @Sendable ([Listener: Int]) -> Void) {
        self.awaits = awaits
        self.onAll = onAll
    }

    func took(_ port: Int, _ listener: Listener) {
        let all = ports.withLock { ports in
            ports[listener] = port
            return ports
        }
        if all.count == awaits { onAll(all) }
    }
}
