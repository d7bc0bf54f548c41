package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
package import ServiceLifecycle
import Synchronization
import TillCore
import TillCounter

/// A function that answers a request into a writer, on the channel that it came by.
package typealias RequestAnswer = @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void

/// The counter's listeners: the main one, and optionally a public one that serves only the routes of customers and
/// providers, with its own connection limits.
package struct CounterListeners: Sendable {
    /// The gate of the main listener, which serves every route.
    package let main: ConnectionGate
    /// The gate of the public listener.
    let forPublic: ConnectionGate?
    /// Determines the client behind trusted proxies.
    package let origins: OriginReader
    private let options: ServerOptions
    private let logger: Logger

    package init(_ options: ServerOptions, logger: Logger) {
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
    package var gates: [ConnectionGate] { [main] + (forPublic.map { [$0] } ?? []) }

    /// The maximum number of concurrent event streams: at most half of the connections, which leaves room for sales.
    package var maximumStreams: Int { max(1, min(options.maximumStreams, main.places.all / 2)) }

    /// Returns the listeners as services; ``ServerOptions/onListening`` is called once all of them listen.
    /// - Parameters:
    ///   - responder: Returns the responder for a listener's audiences: all, or the public ones.
    ///   - answer: Returns the request handler of a responder.
    package func services(
        _ responder: (Set<RouteAudience>) -> CounterResponder,
        answer: (CounterResponder) -> RequestAnswer
    ) -> [any Service] {
        let options = options
        let ready = ListeningPorts(awaits: forPublic == nil ? 1 : 2) { ports in
            if let port = ports[.forPublic] { options.onPublicListening?(port) }
            if let port = ports[.main] { options.onListening?(port) }
        }
        var all = [
            service(main, ListenAddress(host: options.host, port: options.port), answer(responder([]))) { port in
                ready.took(port, .main)
            }
        ]
        if let forPublic, let address = options.publicAddress {
            all.append(
                service(forPublic, address, answer(responder(RouteAudience.ofThePublic))) {
                    ready.took($0, .forPublic)
                })
        }
        return all
    }

    /// Returns the server of one listener, without an application around it: that is a group of services in the group
    /// of services, with a clock of its own, and describes each of them at every start.
    private func service(
        _ gate: ConnectionGate, _ address: ListenAddress, _ responder: @escaping RequestAnswer,
        onListening: @escaping @Sendable (Int) -> Void
    ) -> any Service {
        // Twice the limit: up to it the response explains the error, beyond it there is a bare 400.
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 2 * HeadLimits.fieldBytes
        limits.maxHeaderListSize = 2 * HeadLimits.bytes
        limits.maxHeaderFieldCount = 2 * HeadLimits.fields
        let channel = ListenerChannel(
            responder: responder, gate: gate, deadlines: ConnectionDeadlines(options), tls: options.tls,
            limits: limits)
        return channel.server(
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: AcceptLimit(gate.places)),
            onServerRunning: { onListening($0.localAddress?.port ?? address.port) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }
}

/// Collects the ports until all listeners are bound.
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
